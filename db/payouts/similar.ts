// Finds recent payouts of the same amount to the same account, so that the API can warn about a duplicate.
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
   * A payout of this amount went to another account with the same last four digits. The API counts this as a wrong
   * guess of the account number.
   */
  readonly isNearMiss: boolean
}

interface WantedPayout {
  readonly accountLast4: string
  /** One hash for each secret key that may have hashed the account. */
  readonly accountHashes: readonly Buffer[]
  readonly amountPence: bigint
  readonly since: Date
}

/**
 * Returns at most the ten newest. A payout that failed, was cancelled or was returned paid nothing, so paying again
 * is fine. A payout without a verdict counts, although lists do not show it, because it may be paying right now.
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
  // Two halves, because each uses its own index: visible payouts by last four digits, and undecided payouts among the
  // few open ones.
  const rows = await db.sql<SimilarPayout & { readonly isSame: boolean }>`
    SELECT ${columns} FROM payouts WHERE ${isSimilar} AND ${isVisible}
    UNION ALL
    SELECT ${columns} FROM payouts WHERE ${isSimilar}
      AND released_at IS NULL AND closed_at IS NULL AND verdict_at IS NULL AND answered_at IS NULL
    ORDER BY is_same DESC, created_at DESC, id DESC LIMIT 10`
  const similar = rows.filter(({ isSame }) => isSame)
  return { similar, isNearMiss: similar.length === 0 && rows.length > 0 }
}
