// What happened to one payout in its last attempt: the steps, some of which are only for our people, and its money.
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Statement } from '../database'

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
  const [events, money] = await Promise.all([
    db.query<TimelineEvent>(selectEvents, [payoutId]),
    db.query<TimelineMoney>(selectMoney, [payoutId]),
  ])
  return { events, money }
}

// An attempt begins with its request; those before it were taken back, and nobody was told about them.
const selectEvents: Statement = {
  name: 'payout-timeline',
  text: `SELECT at, kind, status, made_by AS "madeBy", detail FROM payout_events
    WHERE payout_id = $1
      AND id >= coalesce((SELECT max(id) FROM payout_events WHERE payout_id = $1 AND kind = 'requested'), 0)
    ORDER BY id`,
}

const selectMoney: Statement = {
  name: 'payout-timeline-money',
  text: `SELECT ledger_set.created_at AS at, ledger_set.cause, entry.amount_micro_usdc AS "amountMicroUsdc"
    FROM payouts JOIN ledger_sets ledger_set ON ledger_set.payout_id = payouts.id
    JOIN ledger_entries entry ON entry.set_id = ledger_set.id AND entry.balance_micro_usdc IS NOT NULL
    WHERE payouts.id = $1 AND (ledger_set.cause_ref = payouts.id::text || '/' || payouts.attempt::text
      OR ledger_set.cause NOT IN ('debit', 'reversal'))
    ORDER BY entry.id`,
}
