// The payouts that the bank's transfers name, as our books have them.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Statement } from '../database'

export interface PayoutOfTransfer {
  readonly payoutId: string
  readonly environment: Environment
  readonly status: PayoutStatus
  readonly transferRef: string | null
  readonly releasedAt: Date | null
  readonly closedAt: Date | null
}

export async function findPayoutsOfTransfers(
  db: Queryable,
  environment: Environment,
  payoutIds: readonly string[],
): Promise<PayoutOfTransfer[]> {
  return db.query<PayoutOfTransfer>(selectNamed, [environment, payoutIds])
}

const selectNamed: Statement = {
  name: 'payouts-of-transfers',
  text: `SELECT id AS "payoutId", environment, status, transfer_ref AS "transferRef", released_at AS "releasedAt",
      closed_at AS "closedAt"
    FROM payouts WHERE environment = $1 AND id = ANY ($2::uuid[])`,
}
