// Wallets. Each partner has one per environment. Each wallet has its own ledger accounts.

import { assert } from '../../domain/assert'
import type { Environment, RailName } from '../../domain/environment'
import { accountKinds } from '../../domain/wallets/ledger'
import { bigint, entity, id, idOf, orNull, text, time, withDefault } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import { findWithCaller } from '../payouts/one-text'
import type { Caller } from '../sign-in/callers'
import { sql } from '../sql'

interface StoredWallet extends WalletRow {
  /** The ID of the customer's verification at the bank. */
  readonly verificationRef: string | null
  readonly fundingRef: string | null
  readonly fundingSortCode: string | null
  readonly fundingAccountNumber: string | null
  readonly fundingHolderName: string | null
  readonly fundingBankName: string | null
  readonly historyReadTo: string | null
  readonly lowBalanceToldAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const wallet = entity<StoredWallet>('Wallet', 'wallets', {
  id,
  partnerId: idOf('Partner'),
  environment: text,
  rail: text,
  chain: withDefault(text, 'base'),
  address: orNull(text),
  customerRef: orNull(text),
  walletRef: orNull(text),
  balanceMicroUsdc: withDefault(bigint, 0),
  createdAt: time,
  updatedAt: time,
  verificationRef: orNull(text),
  fundingRef: orNull(text),
  fundingSortCode: orNull(text),
  fundingAccountNumber: orNull(text),
  fundingHolderName: orNull(text),
  fundingBankName: orNull(text),
  historyReadTo: orNull(text),
  lowBalanceToldAt: orNull(time),
})

export interface WalletRow {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly rail: RailName
  readonly chain: string
  readonly address: string | null
  /** The bank's IDs for the customer and the wallet. Null until the wallet is connected. */
  readonly customerRef: string | null
  readonly walletRef: string | null
  readonly balanceMicroUsdc: bigint
}

export interface NewWallet {
  readonly partnerId: string
  readonly environment: Environment
  readonly rail: RailName
  readonly at: Date
}

/** Opens an empty wallet. Only the ledger changes its balance. */
export async function openWallet(tx: Tx, { partnerId, environment, rail, at }: NewWallet): Promise<WalletRow> {
  const accountIds = accountKinds.map(() => newId(at))
  const id = newId(at)
  const [wallet] = await tx.sql<WalletRow>`WITH opened AS (
      INSERT INTO wallets (id, partner_id, environment, rail, created_at, updated_at)
      VALUES (${id}, ${partnerId}, ${environment}, ${rail}, ${at}, ${at})
      RETURNING ${columns}
    ), accounts AS (
      INSERT INTO ledger_accounts (id, wallet_id, kind)
      SELECT account.id, ${id}, account.kind FROM unnest(${accountIds}::uuid[], ${accountKinds}::text[]) AS account (id, kind)
    )
    SELECT * FROM opened`
  assert(wallet !== undefined, 'an inserted wallet must be returned')
  return wallet
}

/**
 * Returns the ID of the wallet's suspense account, which is created with the wallet and never changes. A statement that
 * gets this ID as a value uses the index of entries. If it joined the accounts, PostgreSQL would expect an average number
 * of entries, and read the whole table where one wallet has most of them.
 */
export async function findSuspenseAccount(db: Queryable, walletId: string): Promise<string | null> {
  const [account] = await db.sql<{
    id: string
  }>`SELECT id FROM ledger_accounts WHERE wallet_id = ${walletId} AND kind = 'suspense' AND currency = 'USDC'`
  return account?.id ?? null
}

export async function findWallet(
  db: Queryable,
  partnerId: string,
  environment: Environment,
): Promise<WalletRow | null> {
  const [wallet] =
    await db.sql<WalletRow>`SELECT ${columns} FROM wallets WHERE partner_id = ${partnerId} AND environment = ${environment}`
  return wallet ?? null
}

export type BalanceRow = Pick<WalletRow, 'rail' | 'balanceMicroUsdc'>

/** Finds the caller and the balance of the caller's wallet in one statement. */
export async function findCallerAndBalance(
  db: Queryable,
  digest: Buffer,
): Promise<{ caller: Caller; balance: BalanceRow | null } | null> {
  // The balance is text, because a JSON number is exact only up to 2^53.
  const columns = sql`rail, balance_micro_usdc::text AS balance`
  const wanted = { columns, table: sql`wallets`, isWanted: sql`true` }
  const found = await findWithCaller<{ rail: RailName; balance: string }>(db, digest, wanted)
  if (found === null) return null
  const { caller, row } = found
  return { caller, balance: row && { rail: row.rail, balanceMicroUsdc: BigInt(row.balance) } }
}

export interface WalletAtBank {
  readonly environment: Environment
  readonly customerRef: string
  readonly walletRef: string
}

/** Returns the newest wallet that is connected to the bank, for each environment that has one. */
export async function listNewestAtBank(db: Queryable): Promise<WalletAtBank[]> {
  return db.sql<WalletAtBank>`SELECT DISTINCT ON (environment) environment, customer_ref, wallet_ref FROM wallets
    WHERE rail <> 'simulated' AND customer_ref IS NOT NULL AND wallet_ref IS NOT NULL
    ORDER BY environment, created_at DESC, id DESC`
}

/** Locks the wallet. Until the transaction ends, no payout claims the wallet and none of its money moves. */
export async function lockWallet(tx: Tx, partnerId: string, environment: Environment): Promise<WalletRow> {
  const [wallet] = await tx.sql<WalletRow>`SELECT ${columns} FROM wallets
    WHERE partner_id = ${partnerId} AND environment = ${environment} FOR UPDATE`
  assert(wallet !== undefined, 'a partner must have a wallet')
  return wallet
}

interface WalletConnection {
  readonly walletId: string
  readonly rail: RailName
  readonly verificationRef: string
  readonly customerRef: string
  readonly walletRef: string
  readonly address: string | null
  readonly at: Date
}

/** After this, the wallet's payouts go to the given rail. */
export async function connectWallet(tx: Tx, connection: WalletConnection): Promise<void> {
  const { walletId, rail, verificationRef, customerRef, walletRef, address, at } = connection
  await tx.sql`UPDATE wallets SET rail = ${rail}, verification_ref = ${verificationRef}, customer_ref = ${customerRef},
      wallet_ref = ${walletRef}, address = ${address}, updated_at = ${at}
    WHERE id = ${walletId}`
}

/** Lists the partners whose sandbox is not connected to a bank. `after` is the last partner of the previous page. */
export async function listSimulatedPartners(
  db: Queryable,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const rows = await db.sql<{ partnerId: string }>`SELECT partner_id FROM wallets
    WHERE environment = 'sandbox' AND rail = 'simulated' AND (${after}::uuid IS NULL OR partner_id > ${after}::uuid)
    ORDER BY partner_id LIMIT ${limit}`
  return rows.map(({ partnerId }) => partnerId)
}

const columns = sql`id, partner_id, environment, rail, chain, address, customer_ref, wallet_ref, balance_micro_usdc`
