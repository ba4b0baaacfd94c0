// Wallets, one per partner and environment, each with its own accounts in the ledger (§1: wallets are isolated).
import { assert } from '../domain/assert'
import type { Environment, RailName } from '../domain/environment'
import { accountKinds } from '../domain/ledger'
import type { Queryable, Statement, Tx } from './database'
import { newId } from './id'

export interface WalletRow {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly rail: RailName
  readonly chain: string
  readonly address: string | null
  readonly balanceMicroUsdc: bigint
}

export interface NewWallet {
  readonly partnerId: string
  readonly environment: Environment
  readonly rail: RailName
  readonly at: Date
}

/** An empty wallet; only the ledger changes its balance. */
export async function openWallet(tx: Tx, { partnerId, environment, rail, at }: NewWallet): Promise<WalletRow> {
  const accountIds = accountKinds.map(() => newId(at))
  const values = [newId(at), partnerId, environment, rail, at, accountIds, accountKinds]
  const [wallet] = await tx.query<WalletRow>(insert, values)
  assert(wallet !== undefined, 'an inserted wallet must come back')
  return wallet
}

export async function findWallet(
  db: Queryable,
  partnerId: string,
  environment: Environment,
): Promise<WalletRow | null> {
  const [wallet] = await db.query<WalletRow>(selectWallet, [partnerId, environment])
  return wallet ?? null
}

const columns = `id, partner_id AS "partnerId", environment, rail, chain, address,
  balance_micro_usdc AS "balanceMicroUsdc"`

const insert: Statement = {
  name: 'wallet-insert',
  text: `WITH opened AS (
      INSERT INTO wallets (id, partner_id, environment, rail, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5)
      RETURNING ${columns}
    ), accounts AS (
      INSERT INTO ledger_accounts (id, wallet_id, kind)
      SELECT account.id, $1, account.kind FROM unnest($6::uuid[], $7::text[]) AS account (id, kind)
    )
    SELECT * FROM opened`,
}

const selectWallet: Statement = {
  name: 'wallet-by-partner',
  text: `SELECT ${columns} FROM wallets WHERE partner_id = $1 AND environment = $2`,
}
