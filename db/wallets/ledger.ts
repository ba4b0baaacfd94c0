// The only writer of the ledger and of wallet balances. Posts one balanced set, once, in one statement.
import { assert } from '../../domain/assert'
import { assertBalanced, type Posting } from '../../domain/wallets/ledger'
import type { Queryable } from '../database'
import { newId } from '../id'

interface PostingSet {
  readonly walletId: string
  /** Such as `debit`. `cause` and `causeRef` together are unique within the wallet. */
  readonly cause: string
  readonly causeRef: string
  readonly payoutId: string | null
  /** The bank's ID for the movement. Each movement is booked once per wallet, whatever its cause. */
  readonly bankRef?: string | null
  readonly createdBy: string
  readonly at: Date
  readonly postings: readonly Posting[]
}

export type Posted =
  | { readonly outcome: 'posted'; readonly balanceMicroUsdc: bigint }
  | { readonly outcome: 'already_posted' }
  | { readonly outcome: 'insufficient'; readonly balanceMicroUsdc: bigint }

/** A refusal moves no money and leaves the transaction usable. So does a second post of the same cause or `bankRef`. */
export async function postSet(tx: Queryable, set: PostingSet): Promise<Posted> {
  const { walletId, cause, causeRef, payoutId, bankRef = null, createdBy, at, postings } = set
  assertBalanced(postings)
  const accounts = postings.map((posting) => posting.account)
  assert(new Set(accounts).size === accounts.length, 'a set must post to each account once')
  const amounts = postings.map((posting) => posting.amountMicroUsdc)

  // The database function locks the wallet, checks the balance and writes the set, entries and balance in one round
  // trip (db/migrations/001-009/2-ledger.ts).
  const [row] =
    await tx.sql<PostedRow>`SELECT outcome, balance FROM post_ledger_set(${walletId}, ${newId(at)}, ${cause},
    ${causeRef}, ${payoutId}, ${bankRef}, ${createdBy}, ${at}, ${accounts}, ${amounts})`
  assert(row !== undefined, 'a posted set must have an outcome')
  const { outcome, balance } = row
  return outcome === 'already_posted' ? { outcome } : { outcome, balanceMicroUsdc: balance }
}

/** Returns whether the ledger has a set with this cause. */
export async function isPosted(
  tx: Queryable,
  { walletId, cause, causeRef }: Pick<PostingSet, 'walletId' | 'cause' | 'causeRef'>,
): Promise<boolean> {
  const posted = await tx.sql`SELECT id FROM ledger_sets
    WHERE wallet_id = ${walletId} AND cause = ${cause} AND cause_ref = ${causeRef}`
  return posted.length > 0
}

interface PostedRow {
  readonly outcome: Posted['outcome']
  /** The wallet's balance after the call, even if the set was refused. */
  readonly balance: bigint
}
