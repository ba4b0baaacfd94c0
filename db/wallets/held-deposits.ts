// Deposits that nobody can explain yet: found once for each movement of the bank's, and resolved once, by people.

import { assert } from '../../domain/assert'
import type { Environment } from '../../domain/environment'
import type { Queryable, Statement, Tx } from '../database'
import { newId } from '../id'
import { sql } from '../sql'

export interface NewHeldDeposit {
  readonly walletId: string
  readonly bankRef: string
  /** Null when no amount could be read. */
  readonly amountMicroUsdc: bigint | null
  readonly why: string
  readonly at: Date
}

export interface HeldDeposit {
  readonly id: string
  readonly walletId: string
  readonly partnerId: string
  readonly partner: string
  readonly environment: Environment
  readonly bankRef: string
  readonly amountMicroUsdc: bigint | null
  readonly why: string
  readonly foundAt: Date
  /** The credit that waits for a second operator; all three are null where none does. */
  readonly requestedMicroUsdc: bigint | null
  readonly requestedBy: string | null
  readonly requestedAt: Date | null
}

export interface CreditRequest {
  readonly id: string
  readonly amountMicroUsdc: bigint
  readonly note: string
  readonly by: string
  /** The login behind `by`, which the operator cannot choose as freely. */
  readonly login: string
  readonly at: Date
}

export interface HeldResolution {
  readonly id: string
  readonly outcome: 'credited' | 'kept'
  readonly note: string
  readonly by: string
  readonly login: string
  readonly at: Date
}

/** Whether it was new. */
export async function holdDeposit(tx: Tx, deposit: NewHeldDeposit): Promise<boolean> {
  const { walletId, bankRef, amountMicroUsdc, why, at } = deposit
  return (
    (
      await tx.sql`INSERT INTO held_deposits (id, wallet_id, bank_ref, amount_micro_usdc, why, found_at)
    VALUES (${newId(at)}, ${walletId}, ${bankRef}, ${amountMicroUsdc}, ${why}, ${at}) ON CONFLICT (wallet_id, bank_ref) DO NOTHING RETURNING id`
    ).length > 0
  )
}

/** Oldest first, of everybody. */
export async function listHeldDeposits(db: Queryable, limit: number): Promise<HeldDeposit[]> {
  return db.sql<HeldDeposit>`SELECT ${columns} FROM ${held} WHERE held.resolved_at IS NULL ORDER BY held.found_at, held.id LIMIT ${limit}`
}

/** Null when there is none that waits for a decision; nobody else decides until the transaction ends. */
export async function lockHeldDeposit(tx: Tx, id: string): Promise<HeldDeposit | null> {
  const [deposit] =
    await tx.sql<HeldDeposit>`SELECT ${columns} FROM ${held} WHERE held.id = ${id} AND held.resolved_at IS NULL FOR NO KEY UPDATE OF held`
  return deposit ?? null
}

/** Under lockHeldDeposit. */
export async function requestCredit(tx: Tx, request: CreditRequest): Promise<void> {
  const { id, amountMicroUsdc, note, by, login, at } = request
  await tx.query(insertRequest, [id, amountMicroUsdc, note, by, login, at])
}

/** Under lockHeldDeposit. */
export async function forgetCreditRequest(tx: Tx, id: string): Promise<void> {
  await tx.sql`UPDATE held_deposits SET requested_micro_usdc = NULL, request_note = NULL, requested_by = NULL, requested_as = NULL,
      requested_at = NULL
    WHERE id = ${id} AND resolved_at IS NULL`
}

export async function resolveHeldDeposit(tx: Tx, { id, outcome, note, by, login, at }: HeldResolution): Promise<void> {
  const resolved = await tx.query(resolve, [id, outcome, note, by, at, login])
  assert(resolved.length === 1, 'a held deposit is resolved once')
}

export interface HeldSum {
  readonly count: number
  readonly microUsdc: bigint
}

/** What of a wallet's money waits for a decision; one whose amount could not be read counts, and adds nothing. */
export async function sumHeldDeposits(db: Queryable, walletId: string): Promise<HeldSum> {
  const [sum] =
    await db.sql<HeldSum>`SELECT count(*)::integer AS count, coalesce(sum(amount_micro_usdc), 0)::bigint AS micro_usdc
    FROM held_deposits WHERE wallet_id = ${walletId} AND resolved_at IS NULL`
  return sum ?? { count: 0, microUsdc: 0n }
}

const columns = sql`held.id, held.wallet_id, partners.id AS partner_id, partners.slug AS partner,
  wallets.environment, held.bank_ref, held.amount_micro_usdc, held.why,
  held.found_at, held.requested_micro_usdc, held.requested_by,
  held.requested_at`

const held = sql`held_deposits held JOIN wallets ON wallets.id = held.wallet_id
  JOIN partners ON partners.id = wallets.partner_id`

// The database role is one that the server has authenticated.
const as = (login: string) => `${login}::text || ' by database role ' || session_user`

const insertRequest: Statement = {
  name: 'held-deposit-request',
  text: `UPDATE held_deposits SET requested_micro_usdc = $2, request_note = $3, requested_by = $4, requested_as = ${as('$5')},
      requested_at = $6
    WHERE id = $1 AND resolved_at IS NULL`,
}

const resolve: Statement = {
  name: 'held-deposit-resolve',
  text: `UPDATE held_deposits SET resolved_at = $5, resolved_by = $4, resolved_as = ${as('$6')}, outcome = $2, note = $3
    WHERE id = $1 AND resolved_at IS NULL RETURNING id`,
}
