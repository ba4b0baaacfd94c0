// Whose a movement is: payouts by the bank's transfer or by their own id, and whether their money is back in the books.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Statement } from '../database'

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
  return db.query<RefundedPayout>(selectByTransfers, [rail, transferRefs])
}

export async function findPayoutById(db: Queryable, payoutId: string): Promise<RefundedPayout | null> {
  const [payout] = await db.query<RefundedPayout>(selectById, [payoutId])
  return payout ?? null
}

/** Whether people hear of it for the first time; its return may have been booked since somebody looked. */
export async function reportUnexplainedRefund(db: Queryable, payoutId: string): Promise<boolean> {
  return (await db.query(noteUnexplained, [payoutId])).length > 0
}

const columns = `id AS "payoutId", wallet_id AS "walletId", environment, transfer_ref AS "transferRef", status,
  released_at IS NULL AND closed_at IS NULL AS "isOpen",
  EXISTS (SELECT FROM ledger_sets WHERE payout_id = payouts.id AND cause IN ('refund', 'return')) AS "isRefundBooked",
  (SELECT bank_ref FROM ledger_sets WHERE payout_id = payouts.id AND cause IN ('refund', 'return')) AS "refundRef",
  EXISTS (SELECT FROM payout_events WHERE payout_id = payouts.id AND kind = 'attended'
    AND detail LIKE 'refund\\_unexplained: %') AS "isRefundAttended"`

const selectByTransfers: Statement = {
  name: 'refunded-payouts-by-transfer',
  text: `SELECT ${columns} FROM payouts WHERE rail = $1 AND transfer_ref = ANY($2::text[])`,
}

const selectById: Statement = {
  name: 'refunded-payout-by-id',
  text: `SELECT ${columns} FROM payouts WHERE id = $1`,
}

const noteUnexplained: Statement = {
  name: 'payout-refund-unexplained',
  text: `UPDATE payouts SET attention = 'refund_unexplained'
    WHERE id = $1 AND status = 'completed' AND (attention IS NULL OR attention IN ('outcome_overdue', 'settlement_overdue'))
    RETURNING id`,
}
