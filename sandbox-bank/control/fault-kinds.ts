// Every kind of fault, where it applies, and the options that it requires and accepts.

type Family = 'request' | 'transfer' | 'balance' | 'rate' | 'list' | 'webhook'

type FaultOption =
  | 'stage'
  | 'ms'
  | 'status'
  | 'code'
  | 'retry_after'
  | 'racing'
  | 'state'
  | 'reason'
  | 'sell_rate'
  | 'by'
  | 'copies'
  | 'category'

interface KindRule {
  readonly family: Family
  /** Default number of times it fires. Null: until it is removed. */
  readonly times: number | null
  readonly needs?: readonly FaultOption[]
  readonly takes?: readonly FaultOption[]
  /** The state of a transfer in which it fires by default. */
  readonly state?: string
}

export const faultKinds = {
  // Stage "before": nothing is stored. Stage "after": the change is durable and only the response is lost.
  reset: { family: 'request', times: 1, takes: ['stage'] },
  hang: { family: 'request', times: 1, takes: ['stage', 'ms'] },
  status: { family: 'request', times: 1, needs: ['status'], takes: ['stage', 'code', 'retry_after'] },
  truncated: { family: 'request', times: 1 },
  malformed: { family: 'request', times: 1 },
  slow_body: { family: 'request', times: 1, needs: ['ms'] },
  // racing "only": fires only while another transfer of the same wallet is being created.
  busy: { family: 'request', times: 1, takes: ['racing'] },

  stuck: { family: 'transfer', times: 1, needs: ['state'], state: 'pending' },
  undeliverable: { family: 'transfer', times: 1, takes: ['reason'], state: 'payment_submitted' },
  return: { family: 'transfer', times: 1, needs: ['ms'], takes: ['reason'], state: 'payment_processed' },
  refund_delay: { family: 'transfer', times: 1, needs: ['ms'] },
  refund_failed: { family: 'transfer', times: 1 },
  deactivate_account: { family: 'transfer', times: 1 },

  balance_lag: { family: 'balance', times: null, needs: ['ms'] },
  rate_jump: { family: 'rate', times: null, needs: ['sell_rate'] },
  rate_stale: { family: 'rate', times: null, needs: ['ms'] },

  // by 1: skips one row between two pages. by -1: repeats one row.
  list_shift: { family: 'list', times: null, needs: ['by'] },
  list_omit: { family: 'list', times: null },
  list_short: { family: 'list', times: 1 },

  webhook_lost: { family: 'webhook', times: 1 },
  webhook_duplicate: { family: 'webhook', times: 1, takes: ['copies'] },
  webhook_late: { family: 'webhook', times: 1, needs: ['ms'] },
  webhook_reorder: { family: 'webhook', times: 1 },
  webhook_bad_signature: { family: 'webhook', times: 1 },
  webhook_expired: { family: 'webhook', times: 1, takes: ['ms'] },
  webhook_unknown_category: { family: 'webhook', times: 1, takes: ['category'] },
} as const satisfies Record<string, KindRule>

export type FaultKind = keyof typeof faultKinds

export function ruleOf(kind: FaultKind): KindRule {
  return faultKinds[kind]
}

export function isFaultKind(text: unknown): text is FaultKind {
  return typeof text === 'string' && Object.hasOwn(faultKinds, text)
}
