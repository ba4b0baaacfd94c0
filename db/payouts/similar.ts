// Recent payouts of the same amount to the same account, to warn before a payout is made twice.
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
  /** Another account with the same last four digits was paid this amount. A wrong guess of its number ends here. */
  readonly isNearMiss: boolean
}

interface WantedPayout {
  readonly accountLast4: string
  /** Under each secret key that may have hashed it. */
  readonly accountHashes: readonly Buffer[]
  readonly amountPence: bigint
  readonly since: Date
}

/**
 * The newest few. A payout that failed, was cancelled or was returned has paid nothing, so making it again is fine. One without
 * a verdict counts, although lists do not show it: it may be paying at this moment.
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
  // In two halves, each with its own index: visible payouts by their last four digits, and undecided ones among the few open ones.
  const rows = await db.sql<SimilarPayout & { readonly isSame: boolean }>`
    SELECT ${columns} FROM payouts WHERE ${isSimilar} AND ${isVisible}
    UNION ALL
    SELECT ${columns} FROM payouts WHERE ${isSimilar}
      AND released_at IS NULL AND closed_at IS NULL AND verdict_at IS NULL AND answered_at IS NULL
    ORDER BY is_same DESC, created_at DESC, id DESC LIMIT 10`
  const similar = rows.filter(({ isSame }) => isSame)
  return { similar, isNearMiss: similar.length === 0 && rows.length > 0 }
}
