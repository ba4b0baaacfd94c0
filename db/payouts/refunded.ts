// Whose a movement is: payouts by the bank's transfer or by their own id, and whether their money is back in the books.

import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable } from '../database'
import { sql } from '../sql'

export interface RefundedPayout {
  readonly payoutId: string
  readonly walletId: string
  readonly environment: Environment
  readonly transferRef: string | null
  readonly status: PayoutStatus
  /** Neither released nor closed: its own workflow books what comes. */
  readonly isOpen: boolean
  readonly isRefundBooked: boolean
  /** The bank's movement that was booked as its refund; null where none was, or its id was not kept. */
  readonly refundRef: string | null
  /** People were told of a refund that its transfer does not explain, and have dealt with it. */
  readonly isRefundAttended: boolean
}

export async function findPayoutsByTransfer(
  db: Queryable,
  { rail, transferRefs }: { rail: string; transferRefs: readonly string[] },
): Promise<RefundedPayout[]> {
  return db.sql<RefundedPayout>`SELECT ${columns} FROM payouts WHERE rail = ${rail} AND transfer_ref = ANY(${transferRefs}::text[])`
}

export async function findPayoutById(db: Queryable, payoutId: string): Promise<RefundedPayout | null> {
  const [payout] = await db.sql<RefundedPayout>`SELECT ${columns} FROM payouts WHERE id = ${payoutId}`
  return payout ?? null
}

/** Whether people hear of it for the first time; its return may have been booked since somebody looked. */
export async function reportUnexplainedRefund(db: Queryable, payoutId: string): Promise<boolean> {
  return (
    (
      await db.sql`UPDATE payouts SET attention = 'refund_unexplained'
    WHERE id = ${payoutId} AND status = 'completed' AND (attention IS NULL OR attention IN ('outcome_overdue', 'settlement_overdue'))
    RETURNING id`
    ).length > 0
  )
}

const columns = sql`id AS payout_id, wallet_id, environment, transfer_ref, status,
  released_at IS NULL AND closed_at IS NULL AS is_open,
  EXISTS (SELECT FROM ledger_sets WHERE payout_id = payouts.id AND cause IN ('refund', 'return')) AS is_refund_booked,
  (SELECT bank_ref FROM ledger_sets WHERE payout_id = payouts.id AND cause IN ('refund', 'return')) AS refund_ref,
  EXISTS (SELECT FROM payout_events WHERE payout_id = payouts.id AND kind = 'attended'
    AND detail LIKE 'refund\\_unexplained: %') AS is_refund_attended`
