// Finds recent payouts with the same amount and account, so that the API can warn about a duplicate.
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable } from '../database'
import { sql } from '../sql'
import { isVisible, type Scope } from './payouts'

interface SimilarPayout {
  readonly id: string
  readonly createdAt: Date
  readonly status: PayoutStatus
}

interface SimilarPayouts {
  readonly similar: readonly SimilarPayout[]
  /**
   * Whether this amount was sent only to another account with the same last four digits. The API counts this as a wrong
   * guess of the account number.
   */
  readonly isNearMiss: boolean
}

interface WantedPayout {
  readonly accountLast4: string
  /** One hash for each secret key under which the account may have been hashed. */
  readonly accountHashes: readonly Buffer[]
  readonly amountPence: bigint
  readonly since: Date
}

/**
 * Returns at most the ten newest. Ignores payouts that failed, were cancelled or were returned, because the recipient
 * did not get the money. Includes payouts without a verdict, which lists do not show, because they may still pay.
 */
export async function findSimilarPayouts(
  db: Queryable,
  { partnerId, environment }: Scope,
  { accountLast4, accountHashes, amountPence, since }: WantedPayout,
): Promise<SimilarPayouts> {
  const columns = sql`id, created_at, status, account_hash = ANY (${accountHashes}::bytea[]) AS is_same`
  const isSimilar = sql`partner_id = ${partnerId} AND environment = ${environment} AND account_last4 = ${accountLast4}
      AND account_hash IS NOT NULL AND amount_pence = ${amountPence} AND created_at >= ${since}
      AND status IN ('pending', 'processing', 'completed')`
  // Each half of the union uses its own index: visible payouts by last four digits, and undecided payouts among the few
  // open ones.
  const rows = await db.sql<SimilarPayout & { readonly isSame: boolean }>`
    SELECT ${columns} FROM payouts WHERE ${isSimilar} AND ${isVisible}
    UNION ALL
    SELECT ${columns} FROM payouts WHERE ${isSimilar}
      AND released_at IS NULL AND closed_at IS NULL AND verdict_at IS NULL AND answered_at IS NULL
    ORDER BY is_same DESC, created_at DESC, id DESC LIMIT 10`
  const similar = rows.filter(({ isSame }) => isSame)
  return { similar, isNearMiss: similar.length === 0 && rows.length > 0 }
}
