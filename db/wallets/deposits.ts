// Deposits into a wallet since an earlier look, in the order of its entries: clocks of two processes may differ.
import type { Queryable } from '../database'
import { type Sql, sql } from '../sql'

/** The last entry of the wallet's account; null before the first. */
export async function lastEntryOf(db: Queryable, walletId: string): Promise<bigint | null> {
  const [row] = await db.sql<{
    id: bigint | null
  }>`SELECT max(id) AS id FROM ledger_entries WHERE account_id = ${accountOf(walletId)}`
  return row?.id ?? null
}

export async function hasDepositSince(
  db: Queryable,
  { walletId, after, amountMicroUsdc }: { walletId: string; after: bigint | null; amountMicroUsdc: bigint },
): Promise<boolean> {
  const found =
    await db.sql`SELECT entry.id FROM ledger_entries entry JOIN ledger_sets ledger_set ON ledger_set.id = entry.set_id
    WHERE entry.account_id = ${accountOf(walletId)} AND entry.id > coalesce(${after}::bigint, 0)
      AND entry.amount_micro_usdc = ${amountMicroUsdc} AND ledger_set.cause = 'deposit' LIMIT 1`
  return found.length > 0
}

function accountOf(walletId: string): Sql {
  return sql`(SELECT id FROM ledger_accounts WHERE wallet_id = ${walletId} AND kind = 'wallet' AND currency = 'USDC')`
}
