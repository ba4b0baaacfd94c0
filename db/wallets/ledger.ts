// The only writer of the ledger and of wallet balances: one balanced set, posted once, in one statement.
import { assert } from '../../domain/assert'
import { assertBalanced, type Posting } from '../../domain/wallets/ledger'
import type { Queryable } from '../database'
import { newId } from '../id'

interface PostingSet {
  readonly walletId: string
  /** For example debit. Together with causeRef it is unique within the wallet. */
  readonly cause: string
  readonly causeRef: string
  readonly payoutId: string | null
  /** The bank's id of the movement. It is booked once per wallet, whatever the cause. */
  readonly bankRef?: string | null
  readonly createdBy: string
  readonly at: Date
  readonly postings: readonly Posting[]
}

export type Posted =
  | { readonly outcome: 'posted'; readonly balanceMicroUsdc: bigint }
  | { readonly outcome: 'already_posted' }
  | { readonly outcome: 'insufficient'; readonly balanceMicroUsdc: bigint }

/** A refusal moves nothing and leaves the transaction usable. Posting the same cause or bankRef again moves nothing. */
export async function postSet(tx: Queryable, set: PostingSet): Promise<Posted> {
  const { walletId, cause, causeRef, payoutId, bankRef = null, createdBy, at, postings } = set
  assertBalanced(postings)
  const accounts = postings.map((posting) => posting.account)
  assert(new Set(accounts).size === accounts.length, 'a set posts to each account once')
  const amounts = postings.map((posting) => posting.amountMicroUsdc)

  // Lock, check, set, balance and entries are one function of the database (db/migrations/001-009/2-ledger.ts): one round trip.
  const [row] =
    await tx.sql<PostedRow>`SELECT outcome, balance FROM post_ledger_set(${walletId}, ${newId(at)}, ${cause},
    ${causeRef}, ${payoutId}, ${bankRef}, ${createdBy}, ${at}, ${accounts}, ${amounts})`
  assert(row !== undefined, 'a posted set must have an outcome')
  const { outcome, balance } = row
  return outcome === 'already_posted' ? { outcome } : { outcome, balanceMicroUsdc: balance }
}

/** Whether a set of this cause is in the ledger. */
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
  /** The wallet's balance, also after a refusal. */
  readonly balance: bigint
}
