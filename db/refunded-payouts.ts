// Whose a refund is: payouts by the bank's transfer or by their own id, and whether their money is back in the books.
import type { Environment } from '../domain/environment'
import type { PayoutStatus } from '../domain/payout'
import type { Queryable, Statement } from './database'

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
}

export async function findPayoutOfTransfer(
  db: Queryable,
  { rail, transferRef }: { rail: string; transferRef: string },
): Promise<RefundedPayout | null> {
  const [payout] = await db.query<RefundedPayout>(selectByTransfer, [rail, transferRef])
  return payout ?? null
}

export async function findPayoutById(db: Queryable, payoutId: string): Promise<RefundedPayout | null> {
  const [payout] = await db.query<RefundedPayout>(selectById, [payoutId])
  return payout ?? null
}

const columns = `id AS "payoutId", wallet_id AS "walletId", environment, transfer_ref AS "transferRef", status,
  released_at IS NULL AND closed_at IS NULL AS "isOpen",
  EXISTS (SELECT FROM ledger_sets WHERE payout_id = payouts.id AND cause IN ('refund', 'return')) AS "isRefundBooked",
  (SELECT bank_ref FROM ledger_sets WHERE payout_id = payouts.id AND cause IN ('refund', 'return')) AS "refundRef"`

const selectByTransfer: Statement = {
  name: 'refunded-payout-by-transfer',
  text: `SELECT ${columns} FROM payouts WHERE rail = $1 AND transfer_ref = $2`,
}

const selectById: Statement = {
  name: 'refunded-payout-by-id',
  text: `SELECT ${columns} FROM payouts WHERE id = $1`,
}
