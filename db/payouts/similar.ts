// Payouts that look like one that somebody is about to make: to the same account, of the same amount, not long ago.
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Statement } from '../database'
import { isVisible, type Scope } from './payouts'

export interface SimilarPayout {
  readonly id: string
  readonly createdAt: Date
  readonly status: PayoutStatus
}

export interface SimilarPayouts {
  readonly similar: readonly SimilarPayout[]
  /** Another account with the same last four digits was paid this amount: what a wrong guess at its number finds. */
  readonly isNearMiss: boolean
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
): Promise<SimilarPayouts> {
  const values = [partnerId, environment, accountLast4, accountHashes, amountPence, since]
  const rows = await db.query<SimilarPayout & { readonly isSame: boolean }>(selectSimilar, values)
  const similar = rows.filter(({ isSame }) => isSame)
  return { similar, isNearMiss: similar.length === 0 && rows.length > 0 }
}

const isSame = 'account_hash = ANY ($4::bytea[]) AS "isSame"'

const isSimilar = `partner_id = $1 AND environment = $2 AND account_last4 = $3 AND account_hash IS NOT NULL
      AND amount_pence = $5 AND created_at >= $6 AND status IN ('pending', 'processing', 'completed')`

// In two halves, each with an index that is there anyway: those that lists show by their last four digits, and those that
// nobody has decided about yet among the few that are not over.
const selectSimilar: Statement = {
  name: 'payouts-similar',
  text: `SELECT id, created_at AS "createdAt", status, ${isSame} FROM payouts WHERE ${isSimilar} AND ${isVisible}
    UNION ALL
    SELECT id, created_at, status, ${isSame} FROM payouts WHERE ${isSimilar}
      AND released_at IS NULL AND closed_at IS NULL AND verdict_at IS NULL AND answered_at IS NULL
    ORDER BY "isSame" DESC, "createdAt" DESC, id DESC LIMIT 10`,
}
