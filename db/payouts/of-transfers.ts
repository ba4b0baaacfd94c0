// The payouts that the bank's transfers name, as our books have them.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable } from '../database'

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
  return db.sql<PayoutOfTransfer>`SELECT id AS payout_id, environment, status, transfer_ref, released_at,
      closed_at
    FROM payouts WHERE environment = ${environment} AND id = ANY (${payoutIds}::uuid[])`
}
