// What happened to one payout in its last attempt: the steps, some of which are only for our people, and its money.
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable } from '../database'

export interface TimelineEvent {
  readonly at: Date
  readonly kind: string
  readonly status: PayoutStatus
  readonly madeBy: string
  readonly detail: string | null
}

export interface TimelineMoney {
  readonly at: Date
  /** `debit`, or `reversal`, `refund` or `return` when it came back. */
  readonly cause: string
  /** As it changed the wallet. */
  readonly amountMicroUsdc: bigint
}

export interface Timeline {
  /** Oldest first, as is the money. */
  readonly events: readonly TimelineEvent[]
  readonly money: readonly TimelineMoney[]
}

/** Of a payout that its caller may see: whoever asks has made sure of that. */
export async function loadTimeline(db: Queryable, payoutId: string): Promise<Timeline> {
  // An attempt begins with its request; those before it were taken back, and nobody was told about them.
  const [events, money] = await Promise.all([
    db.sql<TimelineEvent>`SELECT at, kind, status, made_by, detail FROM payout_events
    WHERE payout_id = ${payoutId}
      AND id >= coalesce((SELECT max(id) FROM payout_events WHERE payout_id = ${payoutId} AND kind = 'requested'), 0)
    ORDER BY id`,
    db.sql<TimelineMoney>`SELECT ledger_set.created_at AS at, ledger_set.cause, entry.amount_micro_usdc
    FROM payouts JOIN ledger_sets ledger_set ON ledger_set.payout_id = payouts.id
    JOIN ledger_entries entry ON entry.set_id = ledger_set.id AND entry.balance_micro_usdc IS NOT NULL
    WHERE payouts.id = ${payoutId} AND (ledger_set.cause_ref = payouts.id::text || '/' || payouts.attempt::text
      OR ledger_set.cause NOT IN ('debit', 'reversal'))
    ORDER BY entry.id`,
  ])
  return { events, money }
}
