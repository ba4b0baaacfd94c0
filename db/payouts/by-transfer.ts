// Finds the payouts that belong to bank transfers, and whether their refunds are in the ledger.
import type { Environment } from '../../domain/environment'
import type { Queryable } from '../database'
import { sql } from '../sql'
import type { StoredPayout } from './payout'

type ByTransfer = Pick<StoredPayout, 'environment' | 'idempotencyKey' | 'transferRef' | 'status' | 'amountPence'> & {
  readonly payoutId: string
  readonly slug: string
}

export interface RefundedPayout extends ByTransfer {
  readonly walletId: string
  /** Whether the payout is neither released nor closed. If so, its own workflow books the refund. */
  readonly isOpen: boolean
  readonly isRefundBooked: boolean
  /**
   * The bank movement that was booked as the refund. Null if there is no refund, or if the movement's ID was not
   * stored.
   */
  readonly refundRef: string | null
  /** Whether an operator has cleared the attention code `refund_unexplained`. */
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

/** Returns false if the payout is not completed, or needs attention for a reason other than being overdue. */
export async function reportUnexplainedRefund(db: Queryable, payoutId: string): Promise<boolean> {
  const reported = await db.sql`UPDATE payouts SET attention = 'refund_unexplained'
    WHERE id = ${payoutId} AND status = 'completed'
      AND (attention IS NULL OR attention IN ('outcome_overdue', 'settlement_overdue'))
    RETURNING id`
  return reported.length > 0
}

export type PayoutOfTransfer = ByTransfer & Pick<StoredPayout, 'releasedAt' | 'closedAt'>

export async function findPayoutsOfTransfers(
  db: Queryable,
  environment: Environment,
  payoutIds: readonly string[],
): Promise<PayoutOfTransfer[]> {
  return db.sql<PayoutOfTransfer>`SELECT ${byTransfer}, released_at, closed_at
    FROM payouts WHERE environment = ${environment} AND id = ANY (${payoutIds}::uuid[])`
}

const byTransfer = sql`id AS payout_id, (SELECT slug FROM partners WHERE partners.id = partner_id) AS slug, environment,
  idempotency_key, transfer_ref, status, amount_pence`

const columns = sql`${byTransfer}, wallet_id,
  released_at IS NULL AND closed_at IS NULL AS is_open,
  EXISTS (SELECT FROM ledger_sets WHERE payout_id = payouts.id AND cause IN ('refund', 'return')) AS is_refund_booked,
  (SELECT bank_ref FROM ledger_sets WHERE payout_id = payouts.id AND cause IN ('refund', 'return')) AS refund_ref,
  EXISTS (SELECT FROM payout_events WHERE payout_id = payouts.id AND kind = 'attended'
    AND detail LIKE 'refund\\_unexplained: %') AS is_refund_attended`
