// Loads a payout's details and timeline. The caller must have checked the right to see the payout.
import { assert } from '../../domain/assert'
import type { Queryable } from '../database'
import type { PayoutEventRow } from './events'
import type { StoredPayout } from './payout'

/** `transferRef` is null until the bank has accepted the transfer. */
export type PayoutDetailsRow = Pick<
  StoredPayout,
  'idempotencyKey' | 'createdBy' | 'feePence' | 'feeInTransferPence' | 'gbpPerUsdNano' | 'transferRef'
>

export async function loadPayoutDetails(db: Queryable, payoutId: string): Promise<PayoutDetailsRow> {
  const [row] = await db.sql<PayoutDetailsRow>`SELECT idempotency_key, created_by, fee_pence, fee_in_transfer_pence,
      gbp_per_usd_nano, transfer_ref
    FROM payouts WHERE id = ${payoutId}`
  assert(row !== undefined, 'a payout with details must exist')
  return row
}

type PayoutAtBank = Pick<StoredPayout, 'rail' | 'transferRef'>

export async function loadPayoutAtBank(db: Queryable, payoutId: string): Promise<PayoutAtBank> {
  const [row] = await db.sql<PayoutAtBank>`SELECT rail, transfer_ref FROM payouts WHERE id = ${payoutId}`
  assert(row !== undefined, 'the payout to look up at the bank must exist')
  return row
}

export type TimelineEvent = Omit<PayoutEventRow, 'id' | 'payoutId'>

interface TimelineMoney {
  readonly at: Date
  /** `debit` when money left the wallet. `reversal`, `refund` or `return` when the money came back. */
  readonly cause: string
  /** The change to the wallet's balance. */
  readonly amountMicroUsdc: bigint
}

export interface Timeline {
  /** Both lists are sorted oldest first. */
  readonly events: readonly TimelineEvent[]
  readonly money: readonly TimelineMoney[]
}

/** Loads only the last attempt. */
export async function loadTimeline(db: Queryable, payoutId: string): Promise<Timeline> {
  // A `requested` event starts each attempt. Earlier attempts were released, and no caller has seen them.
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
