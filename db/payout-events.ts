// The timeline of a payout, as people write into it.
import type { PayoutStatus } from '../domain/payout'
import type { Statement, Tx } from './database'

export interface PeoplesEvent {
  readonly payoutId: string
  readonly at: Date
  readonly kind: 'resolved' | 'retried' | 'shredded' | 'case_opened' | 'case_resolved'
  readonly status: PayoutStatus
  readonly madeBy: string
  /** Without names and account numbers. */
  readonly detail: string | null
}

export async function tellPayout(tx: Tx, event: PeoplesEvent): Promise<void> {
  const { payoutId, at, kind, status, madeBy, detail } = event
  await tx.query(insert, [payoutId, at, kind, status, madeBy, detail])
}

const insert: Statement = {
  name: 'payout-event-by-people',
  text: `INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail) VALUES ($1, $2, $3, $4, $5, $6)`,
}
