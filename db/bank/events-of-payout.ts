// What the bank has told us of one payout, for ops: which state of which transfer, and what became of each event.
import type { Queryable } from '../database'

export interface PayoutBankEvent {
  readonly at: Date
  readonly category: string
  readonly objectRef: string | null
  readonly objectState: string | null
  readonly outcome: string | null
}

/** Oldest first. */
export async function listBankEventsOf(db: Queryable, payoutId: string): Promise<PayoutBankEvent[]> {
  return db.sql<PayoutBankEvent>`SELECT received_at AS at, category, object_ref, object_state, outcome
    FROM bank_events WHERE payout_id = ${payoutId} ORDER BY received_at, id`
}
