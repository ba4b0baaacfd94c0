// Progress of reading wallet histories from the bank: the wallets to read, how far each was read, undecided movements
// and failed reads.
import type { Environment, RailName } from '../../domain/environment'
import { sandboxIdleAfterMs } from '../../domain/limits'
import type { ReadingFailure } from '../bank/readings'
import type { Queryable, Tx } from '../database'
import { type Sql, sql } from '../sql'
export interface WalletToRead {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly rail: RailName
  readonly customerRef: string
  readonly walletRef: string
  readonly historyReadTo: string | null
}

/** Returns null if the wallet is not connected to a bank. */
export async function findWalletToRead(db: Queryable, walletId: string): Promise<WalletToRead | null> {
  const [wallet] = await db.sql<WalletToRead>`SELECT ${columns} FROM wallets WHERE id = ${walletId} AND ${isAtBank}`
  return wallet ?? null
}

/** Finds the wallet by the bank's ID for it. */
export async function findWalletIdByRef(
  db: Queryable,
  environment: Environment,
  walletRef: string,
): Promise<string | null> {
  const [wallet] = await db.sql<{ id: string }>`SELECT id FROM wallets
    WHERE wallet_ref = ${walletRef} AND environment = ${environment} AND ${isAtBank}`
  return wallet?.id ?? null
}

export interface WalletPage {
  readonly environment: Environment
  /** The last wallet of the previous page. Null for the first page. */
  readonly after: string | null
  readonly limit: number
  readonly at: Date
}

/**
 * Excludes idle sandboxes. A sandbox is no longer idle after a movement, a dashboard visit or the use of an API key.
 */
export async function listWalletsToRead(
  db: Queryable,
  { environment, after, limit, at }: WalletPage,
): Promise<WalletToRead[]> {
  return db.sql<WalletToRead>`SELECT ${columns} FROM wallets w
    WHERE environment = ${environment} AND (${after}::uuid IS NULL OR id > ${after}) AND ${isAtBank}
      AND NOT ${isIdleSandbox(sql`${idleSince(at)}::timestamptz`)}
    ORDER BY id LIMIT ${limit}`
}

export function idleSince(at: Date): Date {
  return new Date(at.getTime() - sandboxIdleAfterMs)
}

/**
 * Whether the sandbox wallet `w` is idle. An idle wallet has had no movement, session or API key use since `since`, and
 * has no open payout, undecided movement, failed read or unresolved drift.
 */
export function isIdleSandbox(since: Sql): Sql {
  return sql`(w.environment = 'sandbox' AND w.updated_at < ${since}
  AND NOT EXISTS (SELECT FROM api_keys k WHERE k.partner_id = w.partner_id AND k.last_used_at >= ${since})
  AND NOT EXISTS (SELECT FROM members m JOIN sessions s ON s.member_id = m.id
    WHERE m.partner_id = w.partner_id AND s.last_used_at >= ${since})
  AND w.id NOT IN (SELECT wallet_id FROM payouts WHERE released_at IS NULL AND closed_at IS NULL)
  AND NOT EXISTS (SELECT FROM undecided_movements u WHERE u.wallet_id = w.id)
  AND NOT EXISTS (SELECT FROM wallet_reading_failures f WHERE f.wallet_id = w.id)
  AND NOT EXISTS (SELECT FROM drifts d WHERE d.wallet_id = w.id AND d.resolved_at IS NULL))`
}

/** Moves the position only if it is still where this read started, because another read may have moved it already. */
export async function moveHistoryReadTo(
  tx: Tx,
  { walletId, from, to }: { walletId: string; from: string | null; to: string },
): Promise<void> {
  await tx.sql`UPDATE wallets SET history_read_to = ${to} WHERE id = ${walletId} AND history_read_to IS NOT DISTINCT FROM ${from}`
}

export interface UndecidedMovement {
  /** The bank's ID for the movement. */
  readonly id: string
  readonly kind: 'deposit' | 'withdrawal'
  readonly amountMicroUsdc: bigint
  readonly transferRef: string | null
  readonly at: Date
}

/** Lists the movements that earlier reads could not decide, oldest first. */
export async function listUndecided(db: Queryable, walletId: string): Promise<UndecidedMovement[]> {
  return db.sql<UndecidedMovement>`SELECT bank_ref AS id, kind, amount_micro_usdc, transfer_ref, moved_at AS at
    FROM undecided_movements WHERE wallet_id = ${walletId} ORDER BY moved_at, bank_ref`
}

export async function rememberUndecided(
  tx: Tx,
  { walletId, movements, at }: { walletId: string; movements: readonly UndecidedMovement[]; at: Date },
): Promise<void> {
  if (movements.length === 0) return
  const rows = movements.map(({ id, kind, amountMicroUsdc, transferRef, at: movedAt }) => {
    return { id, kind, amount: String(amountMicroUsdc), transfer: transferRef, moved_at: movedAt }
  })
  await tx.sql`INSERT INTO undecided_movements (wallet_id, bank_ref, kind, amount_micro_usdc, transfer_ref, moved_at, found_at)
    SELECT ${walletId}, id, kind, amount, transfer, moved_at, ${at}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS r (id text, kind text, amount bigint, transfer text, moved_at timestamptz)
    ON CONFLICT DO NOTHING`
}

export async function deleteUndecided(tx: Tx, walletId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx.sql`DELETE FROM undecided_movements WHERE wallet_id = ${walletId} AND bank_ref = ANY (${ids}::text[])`
}

export interface FailedReading {
  readonly partner: string
  readonly environment: Environment
  readonly reason: ReadingFailure
  /** The first failure since the last successful read. */
  readonly since: Date
  readonly failedAt: Date
  readonly failures: number
}

export async function recordFailedReading(
  db: Queryable,
  { walletId, reason, at }: { walletId: string; reason: ReadingFailure; at: Date },
): Promise<void> {
  await db.sql`INSERT INTO wallet_reading_failures AS f (wallet_id, since, failed_at, failures, reason)
    VALUES (${walletId}, ${at}, ${at}, 1, ${reason})
    ON CONFLICT (wallet_id) DO UPDATE SET failed_at = excluded.failed_at, failures = f.failures + 1,
      reason = excluded.reason`
}

export async function clearFailedReading(db: Queryable, walletId: string): Promise<void> {
  await db.sql`DELETE FROM wallet_reading_failures WHERE wallet_id = ${walletId}`
}

/** Lists the wallets whose last read failed, longest failing first. */
export async function listFailedReadings(db: Queryable, limit: number): Promise<FailedReading[]> {
  return db.sql<FailedReading>`SELECT partners.slug AS partner, w.environment, f.reason, f.since, f.failed_at, f.failures
    FROM wallet_reading_failures f JOIN wallets w ON w.id = f.wallet_id JOIN partners ON partners.id = w.partner_id
    ORDER BY f.since, w.id LIMIT ${limit}`
}

const columns = sql`id, partner_id, environment, rail, customer_ref, wallet_ref, history_read_to`

const isAtBank = sql`customer_ref IS NOT NULL AND wallet_ref IS NOT NULL AND rail <> 'simulated'`
