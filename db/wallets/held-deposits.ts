// Held deposits: bank movements that are not explained yet. Each is stored once, and an operator resolves each once.

import { assert } from '../../domain/assert'
import type { Environment } from '../../domain/environment'
import { bigint, entity, id, idOf, orNull, text, time } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import { type Sql, sql } from '../sql'

interface StoredHeldDeposit {
  readonly id: string
  readonly walletId: string
  readonly bankRef: string
  /** Null if the movement is a withdrawal or its amount could not be read. */
  readonly amountMicroUsdc: bigint | null
  readonly why: string
  readonly foundAt: Date
  readonly resolvedAt: Date | null
  readonly resolvedBy: string | null
  readonly outcome: 'credited' | 'kept' | null
  readonly note: string | null
  readonly requestedMicroUsdc: bigint | null
  readonly requestedBy: string | null
  readonly requestedAs: string | null
  readonly requestedAt: Date | null
  readonly requestNote: string | null
  readonly resolvedAs: string | null
}

export const heldDeposit = entity<StoredHeldDeposit>('HeldDeposit', 'held_deposits', {
  id,
  walletId: idOf('Wallet'),
  bankRef: text,
  amountMicroUsdc: orNull(bigint),
  why: text,
  foundAt: time,
  resolvedAt: orNull(time),
  resolvedBy: orNull(text),
  outcome: orNull(text),
  note: orNull(text),
  requestedMicroUsdc: orNull(bigint),
  requestedBy: orNull(text),
  requestedAs: orNull(text),
  requestedAt: orNull(time),
  requestNote: orNull(text),
  resolvedAs: orNull(text),
})

interface NewHeldDeposit extends Pick<StoredHeldDeposit, 'walletId' | 'bankRef' | 'amountMicroUsdc' | 'why'> {
  readonly at: Date
}

/**
 * Includes the credit request that waits for a second operator. The three `requested` fields are null if there is
 * no such request.
 */
export interface HeldDeposit
  extends Pick<
    StoredHeldDeposit,
    | 'id'
    | 'walletId'
    | 'bankRef'
    | 'amountMicroUsdc'
    | 'why'
    | 'foundAt'
    | 'requestedMicroUsdc'
    | 'requestedBy'
    | 'requestedAt'
  > {
  readonly partnerId: string
  readonly partner: string
  readonly environment: Environment
}

interface CreditRequest {
  readonly id: string
  readonly amountMicroUsdc: bigint
  readonly note: string
  readonly by: string
  /** The login on the operator's machine. Unlike `by`, the operator cannot choose it freely. */
  readonly login: string
  readonly at: Date
}

interface HeldResolution {
  readonly id: string
  readonly outcome: 'credited' | 'kept'
  readonly note: string
  readonly by: string
  readonly login: string
  readonly at: Date
}

/** Returns false if the movement is already held. */
export async function holdDeposit(tx: Tx, deposit: NewHeldDeposit): Promise<boolean> {
  const { walletId, bankRef, amountMicroUsdc, why, at } = deposit
  const held = await tx.sql`INSERT INTO held_deposits (id, wallet_id, bank_ref, amount_micro_usdc, why, found_at)
    VALUES (${newId(at)}, ${walletId}, ${bankRef}, ${amountMicroUsdc}, ${why}, ${at})
    ON CONFLICT (wallet_id, bank_ref) DO NOTHING RETURNING id`
  return held.length > 0
}

/** Lists all partners' held deposits, oldest first. */
export async function listHeldDeposits(db: Queryable, limit: number): Promise<HeldDeposit[]> {
  return db.sql<HeldDeposit>`SELECT ${columns} FROM ${held}
    WHERE held.resolved_at IS NULL ORDER BY held.found_at, held.id LIMIT ${limit}`
}

/** Locks the deposit until the transaction ends. Returns null if it is not waiting for a decision. */
export async function lockHeldDeposit(tx: Tx, id: string): Promise<HeldDeposit | null> {
  const [deposit] = await tx.sql<HeldDeposit>`SELECT ${columns} FROM ${held}
    WHERE held.id = ${id} AND held.resolved_at IS NULL FOR NO KEY UPDATE OF held`
  return deposit ?? null
}

/** The caller must have locked the deposit with `lockHeldDeposit`. */
export async function requestCredit(tx: Tx, request: CreditRequest): Promise<void> {
  const { id, amountMicroUsdc, note, by, login, at } = request
  await tx.sql`UPDATE held_deposits SET requested_micro_usdc = ${amountMicroUsdc}, request_note = ${note}, requested_by = ${by},
      requested_as = ${loginAs(login)}, requested_at = ${at}
    WHERE id = ${id} AND resolved_at IS NULL`
}

/** The caller must have locked the deposit with `lockHeldDeposit`. */
export async function clearCreditRequest(tx: Tx, id: string): Promise<void> {
  await tx.sql`UPDATE held_deposits SET requested_micro_usdc = NULL, request_note = NULL, requested_by = NULL, requested_as = NULL,
      requested_at = NULL
    WHERE id = ${id} AND resolved_at IS NULL`
}

export async function resolveHeldDeposit(tx: Tx, { id, outcome, note, by, login, at }: HeldResolution): Promise<void> {
  const resolved = await tx.sql`UPDATE held_deposits SET resolved_at = ${at}, resolved_by = ${by},
      resolved_as = ${loginAs(login)}, outcome = ${outcome}, note = ${note}
    WHERE id = ${id} AND resolved_at IS NULL RETURNING id`
  assert(resolved.length === 1, 'a held deposit must be resolved only once')
}

export interface HeldSum {
  readonly count: number
  readonly microUsdc: bigint
}

/**
 * Sums the wallet's money that is waiting for a decision. A movement without an amount is counted, but adds nothing to
 * the sum.
 */
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

/** Appends the database role, which the server has authenticated. */
function loginAs(login: string): Sql {
  return sql`${login}::text || ' by database role ' || session_user`
}
