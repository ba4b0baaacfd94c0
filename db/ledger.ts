// The only writer of the ledger and of wallet balances: one balanced set, posted once, in one statement (design §4).
import { assert } from '../domain/assert'
import { assertBalanced, type Posting } from '../domain/ledger'
import type { Queryable, Statement } from './database'
import { newId } from './id'

export interface PostingSet {
  readonly walletId: string
  /** What the set is for, such as debit; with causeRef it makes the set unique within its wallet. */
  readonly cause: string
  readonly causeRef: string
  readonly payoutId: string | null
  readonly createdBy: string
  readonly at: Date
  readonly postings: readonly Posting[]
}

export type Posted =
  | { readonly outcome: 'posted'; readonly balanceMicroUsdc: bigint }
  | { readonly outcome: 'already_posted' }
  | { readonly outcome: 'insufficient'; readonly balanceMicroUsdc: bigint }

/** A refusal moves nothing and leaves a surrounding transaction usable; a repeat of the same cause moves nothing either. */
export async function postSet(tx: Queryable, set: PostingSet): Promise<Posted> {
  const { walletId, cause, causeRef, payoutId, createdBy, at, postings } = set
  assertBalanced(postings)
  const accounts = postings.map((posting) => posting.account)
  assert(new Set(accounts).size === accounts.length, 'a set posts to each account once')
  const deltaMicroUsdc = postings.find((posting) => posting.account === 'wallet')?.amountMicroUsdc ?? 0n

  const amounts = postings.map((posting) => posting.amountMicroUsdc)
  const values = [walletId, newId(at), cause, causeRef, payoutId, createdBy, at, accounts, amounts]
  const [row] = await (deltaMicroUsdc === 0n
    ? tx.query<PostedRow>(postBesideWallet, values)
    : tx.query<PostedRow>(postToWallet, [...values, deltaMicroUsdc]))
  assert(row !== undefined, 'a set must belong to a wallet that exists')

  if (row.posted) return { outcome: 'posted', balanceMicroUsdc: row.balance + deltaMicroUsdc }
  if (row.balance + deltaMicroUsdc >= 0n) return { outcome: 'already_posted' }
  // The same set may have emptied the wallet while this statement waited for its turn; only a new one can see that.
  const known = await tx.query(selectSet, [walletId, cause, causeRef])
  return known.length > 0 ? { outcome: 'already_posted' } : { outcome: 'insufficient', balanceMicroUsdc: row.balance }
}

interface PostedRow {
  readonly posted: boolean
  /** Before this set. */
  readonly balance: bigint
}

const insertSet = 'INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, payout_id, created_by, created_at)'

// An account that is missing becomes NULL, which its column refuses, and the whole statement with it.
const postings = `unnest($8::text[], $9::bigint[]) AS posting (kind, amount)
      LEFT JOIN ledger_accounts account
        ON account.wallet_id = $1 AND account.kind = posting.kind AND account.currency = 'USDC'`

// Sets of one wallet queue at its row. Who comes later reads the latest balance there, and ON CONFLICT sees sets that
// were committed meanwhile, which an ordinary SELECT of the same statement would not.
const postToWallet: Statement = {
  name: 'ledger-post-to-wallet',
  text: `WITH wallet AS MATERIALIZED (
      SELECT balance_micro_usdc AS balance FROM wallets WHERE id = $1 FOR NO KEY UPDATE
    ), written AS (
      ${insertSet}
      SELECT $2, $1, $3, $4, $5, $6, $7 FROM wallet WHERE wallet.balance + $10::bigint >= 0
      ON CONFLICT (wallet_id, cause, cause_ref) DO NOTHING
      RETURNING id
    ), moved AS (
      UPDATE wallets SET balance_micro_usdc = wallet.balance + $10::bigint, updated_at = $7
      FROM wallet, written WHERE wallets.id = $1
      RETURNING wallets.balance_micro_usdc AS balance
    ), entries AS (
      INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc, balance_micro_usdc)
      SELECT written.id, account.id, posting.amount, CASE posting.kind WHEN 'wallet' THEN moved.balance END
      FROM written CROSS JOIN moved CROSS JOIN ${postings}
    )
    SELECT wallet.balance, EXISTS (SELECT FROM written) AS posted FROM wallet`,
}

// What moves beside the wallet, such as from in transit to paid out, need not wait for its row.
const postBesideWallet: Statement = {
  name: 'ledger-post-beside-wallet',
  text: `WITH written AS (
      ${insertSet}
      VALUES ($2, $1, $3, $4, $5, $6, $7)
      ON CONFLICT (wallet_id, cause, cause_ref) DO NOTHING
      RETURNING id
    ), entries AS (
      INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc)
      SELECT written.id, account.id, posting.amount
      FROM written CROSS JOIN ${postings}
    )
    SELECT balance_micro_usdc AS balance, EXISTS (SELECT FROM written) AS posted FROM wallets WHERE id = $1`,
}

const selectSet: Statement = {
  name: 'ledger-set-by-cause',
  text: 'SELECT id FROM ledger_sets WHERE wallet_id = $1 AND cause = $2 AND cause_ref = $3',
}
