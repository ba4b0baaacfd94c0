// Which wallets are at a bank, and up to which movement each one's history was read.
import type { Environment, RailName } from '../domain/environment'
import type { Queryable, Statement, Tx } from './database'

export interface WalletToRead {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly rail: RailName
  readonly customerRef: string
  readonly walletRef: string
  readonly historyReadTo: string | null
}

/** Null when it is at no bank. */
export async function findWalletToRead(db: Queryable, walletId: string): Promise<WalletToRead | null> {
  const [wallet] = await db.query<WalletToRead>(selectById, [walletId])
  return wallet ?? null
}

/** By what the bank calls it. */
export async function findWalletIdByRef(
  db: Queryable,
  environment: Environment,
  walletRef: string,
): Promise<string | null> {
  const [wallet] = await db.query<{ id: string }>(selectByRef, [environment, walletRef])
  return wallet?.id ?? null
}

export interface WalletPage {
  readonly environment: Environment
  /** The last wallet of the page before; null for the first page. */
  readonly after: string | null
  readonly limit: number
}

export async function listWalletsToRead(
  db: Queryable,
  { environment, after, limit }: WalletPage,
): Promise<WalletToRead[]> {
  return db.query<WalletToRead>(selectPage, [environment, after, limit])
}

/** Only from where this reader began: a quicker one may be further. */
export async function moveHistoryReadTo(
  tx: Tx,
  { walletId, from, to }: { walletId: string; from: string | null; to: string },
): Promise<void> {
  await tx.query(moveReadTo, [walletId, from, to])
}

const columns = `id, partner_id AS "partnerId", environment, rail, customer_ref AS "customerRef",
  wallet_ref AS "walletRef", history_read_to AS "historyReadTo"`

const atABank = `customer_ref IS NOT NULL AND wallet_ref IS NOT NULL AND rail <> 'simulated'`

const selectById: Statement = {
  name: 'wallet-to-read',
  text: `SELECT ${columns} FROM wallets WHERE id = $1 AND ${atABank}`,
}

const selectByRef: Statement = {
  name: 'wallet-by-ref',
  text: `SELECT id FROM wallets WHERE wallet_ref = $2 AND environment = $1 AND ${atABank}`,
}

const selectPage: Statement = {
  name: 'wallets-to-read',
  text: `SELECT ${columns} FROM wallets WHERE environment = $1 AND ($2::uuid IS NULL OR id > $2) AND ${atABank}
    ORDER BY id LIMIT $3`,
}

const moveReadTo: Statement = {
  name: 'wallet-read-to',
  text: 'UPDATE wallets SET history_read_to = $3 WHERE id = $1 AND history_read_to IS NOT DISTINCT FROM $2',
}
