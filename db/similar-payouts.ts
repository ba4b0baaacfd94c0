// Payouts that look like one that somebody is about to make: to the same account, of the same amount, not long ago.
import type { PayoutStatus } from '../domain/payout'
import type { Queryable, Statement } from './database'
import { isVisible, type Scope } from './payouts'

export interface SimilarPayout {
  readonly id: string
  readonly createdAt: Date
  readonly status: PayoutStatus
}

export interface WantedPayout {
  readonly accountLast4: string
  /** Under each secret key that may have hashed it. */
  readonly accountHashes: readonly Buffer[]
  readonly amountPence: bigint
  readonly since: Date
}

/**
 * Newest first, a few; what failed, was cancelled or came back has paid nobody, and may well be made again. One that is not
 * decided yet, which lists do not show, may be paying at this very moment: it counts.
 */
export async function findSimilarPayouts(
  db: Queryable,
  { partnerId, environment }: Scope,
  { accountLast4, accountHashes, amountPence, since }: WantedPayout,
): Promise<SimilarPayout[]> {
  const values = [partnerId, environment, accountLast4, accountHashes, amountPence, since]
  return db.query<SimilarPayout>(selectSimilar, values)
}

const isSimilar = `partner_id = $1 AND environment = $2 AND account_last4 = $3 AND account_hash = ANY ($4::bytea[])
      AND amount_pence = $5 AND created_at >= $6 AND status IN ('pending', 'processing', 'completed')`

// In two halves, each with an index that is there anyway: those that lists show by their last four digits, and those that
// nobody has decided about yet among the few that are not over.
const selectSimilar: Statement = {
  name: 'payouts-similar',
  text: `SELECT id, created_at AS "createdAt", status FROM payouts WHERE ${isSimilar} AND ${isVisible}
    UNION ALL
    SELECT id, created_at, status FROM payouts WHERE ${isSimilar}
      AND released_at IS NULL AND closed_at IS NULL AND verdict_at IS NULL AND answered_at IS NULL
    ORDER BY "createdAt" DESC, id DESC LIMIT 10`,
}
