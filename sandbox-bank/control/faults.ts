// The faults that are currently set. Finds the fault that applies, and counts how often each fires.
import { randomUUID } from 'node:crypto'
import { invalid } from '../http/errors'
import { entriesOf, optionalChoice, optionalText, valueAt } from '../http/fields'
import { parseDecimal } from '../money'

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
  /** The default number of times that the fault fires. Null if it fires until it is removed. */
  readonly times: number | null
  readonly needs?: readonly FaultOption[]
  readonly takes?: readonly FaultOption[]
  /** The transfer state in which the fault fires by default. */
  readonly state?: string
}

/** Every kind of fault, where it applies, and the options that it requires and accepts. */
const faultKinds = {
  // Stage "before": nothing is stored. Stage "after": the change is durable and only the response is lost.
  reset: { family: 'request', times: 1, takes: ['stage'] },
  hang: { family: 'request', times: 1, takes: ['stage', 'ms'] },
  status: { family: 'request', times: 1, needs: ['status'], takes: ['stage', 'code', 'retry_after'] },
  truncated: { family: 'request', times: 1 },
  malformed: { family: 'request', times: 1 },
  slow_body: { family: 'request', times: 1, needs: ['ms'] },
  // racing "only": fires only while another transfer from the same wallet is being created.
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

type FaultKind = keyof typeof faultKinds

function ruleOf(kind: FaultKind): KindRule {
  return faultKinds[kind]
}

function isFaultKind(text: unknown): text is FaultKind {
  return typeof text === 'string' && Object.hasOwn(faultKinds, text)
}

/** The fields that a fault can match. Each caller sets the fields that apply. */
export interface Subject {
  readonly environment?: string
  readonly method?: string
  readonly path?: string
  readonly client_reference_id?: string | null
  readonly external_account_id?: string
  readonly transfer_id?: string
  readonly customer_id?: string
  readonly wallet_id?: string
  readonly state?: string
  readonly category?: string
}

const matchFields = [
  ...(['environment', 'method', 'path', 'client_reference_id', 'external_account_id'] as const),
  ...(['transfer_id', 'customer_id', 'wallet_id', 'state', 'category'] as const),
]

interface FaultPlan {
  readonly kind: FaultKind
  readonly match: Readonly<Partial<Record<keyof Subject, string>>>
  /** Null if the fault fires until it is removed. */
  readonly times: number | null
  readonly stage: 'before' | 'after'
  readonly ms: number | null
  readonly status: number | null
  readonly code: string | null
  readonly retry_after: number | null
  readonly racing: 'only' | null
  readonly state: string | null
  readonly reason: string | null
  readonly sell_rate: string | null
  readonly by: number | null
  readonly copies: number | null
  readonly category: string | null
}

export interface Fault extends FaultPlan {
  readonly id: string
  readonly remaining: number | null
  readonly fired: number
}

export interface Faults {
  add(plan: FaultPlan): Fault
  list(): Fault[]
  /** The first matching fault, counted as fired. Null if none matches. */
  take(kinds: readonly FaultKind[], subject: Subject): Fault | null
  /** Like `take`, without counting. */
  peek(kinds: readonly FaultKind[], subject: Subject): Fault | null
  remove(id: string): boolean
  reset(): void
  /** Waits until a hang fault's time has elapsed or the fault is removed. */
  hang(fault: Fault): Promise<'elapsed' | 'removed'>
}

export function createFaults(): Faults {
  const faults = new Map<string, Fault>()
  const hanging = new Map<() => void, string>()

  function peek(kinds: readonly FaultKind[], subject: Subject): Fault | null {
    for (const fault of faults.values()) {
      if (fault.remaining !== 0 && kinds.includes(fault.kind) && matches(fault, subject)) return fault
    }
    return null
  }

  function release(id: string): void {
    for (const [wake, faultId] of hanging) if (faultId === id) wake()
  }

  return {
    add(plan) {
      const fault: Fault = { ...plan, id: randomUUID(), remaining: plan.times, fired: 0 }
      faults.set(fault.id, fault)
      return fault
    },
    list: () => [...faults.values()],
    peek,
    take(kinds, subject) {
      const fault = peek(kinds, subject)
      if (!fault) return null
      const remaining = fault.remaining === null ? null : fault.remaining - 1
      faults.set(fault.id, { ...fault, remaining, fired: fault.fired + 1 })
      return fault
    },
    remove(id) {
      release(id)
      return faults.delete(id)
    },
    reset() {
      for (const id of faults.keys()) release(id)
      faults.clear()
    },
    hang(fault) {
      return new Promise((resolve) => {
        const timer = fault.ms === null ? null : setTimeout(() => end('elapsed'), fault.ms)
        const wake = () => end('removed')
        const end = (how: 'elapsed' | 'removed') => {
          if (timer) clearTimeout(timer)
          hanging.delete(wake)
          resolve(how)
        }
        hanging.set(wake, fault.id)
      })
    },
  }
}

function matches(fault: Fault, subject: Subject): boolean {
  return matchFields.every((field) => {
    const wanted = fault.match[field]
    if (wanted === undefined) return true
    const actual = subject[field]
    if (typeof actual !== 'string') return false
    return field === 'path' ? matchesPath(wanted, actual) : wanted === actual
  })
}

/** A star matches any text: "/v0/transfers*" matches listing, reading and creating transfers. */
function matchesPath(pattern: string, path: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(path)
}

/** Parses and validates a fault from the control plane's JSON. */
export function readFault(body: unknown, firstState: string): FaultPlan {
  const kind = valueAt(body, 'kind')
  if (!isFaultKind(kind)) throw invalid('kind', `kind must be one of ${Object.keys(faultKinds).join(', ')}.`)
  const rule = ruleOf(kind)
  const plan: FaultPlan = {
    kind,
    match: readMatch(body, kind === 'stuck' ? firstState : rule.state),
    times: readTimes(body, rule.times),
    stage: optionalChoice(body, 'stage', ['before', 'after']) ?? 'before',
    ms: readNumber(body, 'ms', 0),
    status: readNumber(body, 'status', 400),
    code: optionalText(body, 'code'),
    retry_after: readNumber(body, 'retry_after', 0),
    racing: optionalChoice(body, 'racing', ['only']),
    state: optionalText(body, 'state', { min: 1 }),
    reason: optionalText(body, 'reason'),
    sell_rate: readRate(body),
    by: readNumber(body, 'by', -1_000),
    copies: readNumber(body, 'copies', 1),
    category: optionalText(body, 'category'),
  }
  const missing = rule.needs?.find((option) => plan[option] === null)
  if (missing) throw invalid(missing, `A fault of kind ${kind} needs ${missing}.`)
  rejectUnknownOptions(body, ['kind', 'match', 'times', ...(rule.needs ?? []), ...(rule.takes ?? [])])
  return plan
}

/** Rejects unknown options, because a fault with a misspelt option would fire in the wrong place. */
function rejectUnknownOptions(body: unknown, known: readonly string[]): void {
  const unknown = entriesOf(body).find(([name]) => !known.includes(name))?.[0]
  if (unknown) throw invalid(unknown, `This kind of fault accepts ${known.join(', ')}.`)
}

function readMatch(body: unknown, state: string | undefined): FaultPlan['match'] {
  const unknown = entriesOf(valueAt(body, 'match')).find(([name]) => !matchFields.some((field) => field === name))?.[0]
  if (unknown) throw invalid(`match.${unknown}`, `match may contain ${matchFields.join(', ')}.`)
  const match: Partial<Record<keyof Subject, string>> = state === undefined ? {} : { state }
  for (const field of matchFields) {
    const value = optionalText(body, `match.${field}`)
    if (value !== null) match[field] = value
  }
  return match
}

function readTimes(body: unknown, otherwise: number | null): number | null {
  if (valueAt(body, 'times') === null) return null
  return readNumber(body, 'times', 1) ?? otherwise
}

function readNumber(body: unknown, key: string, least: number): number | null {
  const value = valueAt(body, key)
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least) {
    throw invalid(key, `${key} must be a whole number of at least ${least}.`)
  }
  return value
}

function readRate(body: unknown): string | null {
  const text = optionalText(body, 'sell_rate')
  if (text !== null && !parseDecimal(text, 9))
    throw invalid('sell_rate', 'sell_rate must be a decimal string above zero.')
  return text
}
