// What came into a wallet since a moment, told by the order of its entries: clocks of two processes may differ.
import type { Queryable, Statement } from '../database'

/** The last entry of the wallet's account; null before the first. */
export async function lastEntryOf(db: Queryable, walletId: string): Promise<bigint | null> {
  const [row] = await db.query<{ id: bigint | null }>(selectLast, [walletId])
  return row?.id ?? null
}

export async function hasDepositSince(
  db: Queryable,
  { walletId, after, amountMicroUsdc }: { walletId: string; after: bigint | null; amountMicroUsdc: bigint },
): Promise<boolean> {
  return (await db.query(selectDeposit, [walletId, after, amountMicroUsdc])).length > 0
}

const account = `(SELECT id FROM ledger_accounts WHERE wallet_id = $1 AND kind = 'wallet' AND currency = 'USDC')`

const selectLast: Statement = {
  name: 'wallet-last-entry',
  text: `SELECT max(id) AS id FROM ledger_entries WHERE account_id = ${account}`,
}

const selectDeposit: Statement = {
  name: 'wallet-deposit-since',
  text: `SELECT entry.id FROM ledger_entries entry JOIN ledger_sets ledger_set ON ledger_set.id = entry.set_id
    WHERE entry.account_id = ${account} AND entry.id > coalesce($2::bigint, 0)
      AND entry.amount_micro_usdc = $3 AND ledger_set.cause = 'deposit' LIMIT 1`,
}
