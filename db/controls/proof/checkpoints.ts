// The verified checkpoint of a wallet's own books, and the changes since then. Only one proof uses them at a time.
import { bigint, entity, integer, orNull, sequence, time, uuid, walletKey } from '../../columns'
import type { Tx } from '../../database'
import { type Sql, sql } from '../../sql'

export interface Checkpoint extends WalletSum {
  /** The number of ledger sets that name a bank movement, except those that are still in the list of changes. */
  readonly bookings: number
  readonly verifiedAt: Date
  /** The time of the last full verification, which checks every row of the wallet. */
  readonly fullAt: Date
}

interface WalletSum {
  /** The last entry of the wallet's account. Null if there is none. */
  readonly entryId: bigint | null
  /** The sum of the entries up to and including that entry. */
  readonly balanceMicroUsdc: bigint
}

/** The wallet's own books were verified up to this entry without a drift. */
export const proofCheckpoint = entity<Checkpoint & { readonly walletId: string }>(
  'ProofCheckpoint',
  'proof_checkpoints',
  {
    walletId: walletKey,
    entryId: orNull(bigint),
    balanceMicroUsdc: bigint,
    bookings: integer,
    verifiedAt: time,
    fullAt: time,
  },
)

/** A payout or a ledger set that changed since its wallet's checkpoint. */
interface ProofChangeRow {
  readonly id: bigint
  readonly walletId: string
  readonly payoutId: string | null
  readonly setId: string | null
}

export const proofChange = entity<ProofChangeRow>('ProofChange', 'proof_changes', {
  id: sequence,
  walletId: uuid,
  payoutId: orNull(uuid),
  setId: orNull(uuid),
})

/** Takes the wallet's proof lock until the transaction ends. Waits while another proof holds it. */
export async function lockProof(tx: Tx, walletId: string): Promise<void> {
  await tx.run(sql`SELECT pg_advisory_xact_lock(hashtextextended('proof/' || ${walletId}::text, 0))`, { answerMs })
}

/** Returns null before the first verification, and while the wallet's own books have a drift, open or accepted. */
export async function findCheckpoint(tx: Tx, walletId: string): Promise<Checkpoint | null> {
  return tx.repo(proofCheckpoint).findOneBy({ walletId })
}

export async function saveCheckpoint(tx: Tx, walletId: string, checkpoint: Checkpoint): Promise<void> {
  const { entryId, balanceMicroUsdc, bookings, verifiedAt, fullAt } = checkpoint
  await tx.sql`INSERT INTO proof_checkpoints (wallet_id, entry_id, balance_micro_usdc, bookings, verified_at, full_at)
    VALUES (${walletId}, ${entryId}, ${balanceMicroUsdc}, ${bookings}, ${verifiedAt}, ${fullAt})
    ON CONFLICT (wallet_id) DO UPDATE SET entry_id = excluded.entry_id, balance_micro_usdc = excluded.balance_micro_usdc, bookings = excluded.bookings,
      verified_at = excluded.verified_at, full_at = excluded.full_at`
}

export async function dropCheckpoint(tx: Tx, walletId: string): Promise<void> {
  await tx.repo(proofCheckpoint).delete({ walletId })
}

/**
 * Continues the sum of the wallet's entries from the checkpoint. `isSound` is true if three conditions hold: each new
 * entry's balance equals the running sum, the checkpoint entry's balance still equals the checkpoint's sum, and the
 * wallet's balance equals the last sum. Entries are written while the wallet's row is locked, so their IDs follow
 * commit order.
 */
export async function sumSince(
  tx: Tx,
  walletId: string,
  { entryId, balanceMicroUsdc }: WalletSum,
): Promise<WalletSum & { readonly isSound: boolean }> {
  const [sum] = await tx.run<WalletSum & { isSound: boolean }>(
    sql`SELECT coalesce(newer.last, ${entryId}::bigint) AS entry_id, (${balanceMicroUsdc}::bigint + newer.total)::bigint AS balance_micro_usdc,
      w.balance_micro_usdc = ${balanceMicroUsdc}::bigint + newer.total AND newer.wrong = 0
        AND (${entryId}::bigint IS NULL OR coalesce((SELECT e.account_id = a.id AND e.balance_micro_usdc = ${balanceMicroUsdc}::bigint
          FROM ledger_entries e WHERE e.id = ${entryId}::bigint), false)) AS is_sound
    FROM wallets w JOIN ledger_accounts a ON a.wallet_id = w.id AND a.kind = 'wallet' AND a.currency = 'USDC'
    CROSS JOIN LATERAL (
      SELECT max(id) AS last, coalesce(sum(amount), 0) AS total, count(*) FILTER (WHERE stated IS DISTINCT FROM running) AS wrong
      FROM (SELECT e.id, e.amount_micro_usdc AS amount, e.balance_micro_usdc AS stated,
          ${balanceMicroUsdc}::bigint + sum(e.amount_micro_usdc) OVER (ORDER BY e.id) AS running
        FROM ledger_entries e WHERE e.account_id = a.id AND e.id > coalesce(${entryId}::bigint, 0)) each) newer
    WHERE w.id = ${walletId}`,
    { answerMs },
  )
  return sum ?? { entryId, balanceMicroUsdc, isSound: false }
}

export interface Changes {
  readonly payouts: readonly string[]
  readonly sets: readonly string[]
  readonly count: number
  /** Whether any change names neither a payout nor a set. Only a full verification can check such a change. */
  readonly isUnclear: boolean
}

/**
 * Removes the oldest changes from the list and returns them. The rows they name are committed and visible to later
 * statements. A transaction that commits later adds its own changes, which the next proof removes.
 */
export async function takeChanges(tx: Tx, walletId: string, limit: number): Promise<Changes> {
  const rows = await tx.run<{ payoutId: string | null; setId: string | null }>(
    sql`DELETE FROM proof_changes WHERE id IN (SELECT id FROM proof_changes WHERE wallet_id = ${walletId} ORDER BY id LIMIT ${limit})
    RETURNING payout_id, set_id`,
    { answerMs },
  )
  return {
    payouts: [...new Set(rows.flatMap(({ payoutId }) => payoutId ?? []))],
    sets: [...new Set(rows.flatMap(({ setId }) => setId ?? []))],
    count: rows.length,
    isUnclear: rows.some(({ payoutId, setId }) => payoutId === null && setId === null),
  }
}

/** Empties the list before a full verification, which covers every row. */
export async function takeAllChanges(tx: Tx, walletId: string): Promise<void> {
  await tx.run(sql`DELETE FROM proof_changes WHERE wallet_id = ${walletId}`, { answerMs })
}

/** Returns whether one of these sets wrote an entry that the checkpoint's sum should already include. */
export async function isBehind(tx: Tx, walletId: string, sets: readonly string[], entryId: bigint): Promise<boolean> {
  const entries = await tx.run(
    sql`SELECT FROM ledger_entries e WHERE e.set_id = ANY (${sets}::uuid[]) AND e.id <= ${entryId}
      AND e.account_id = (SELECT id FROM ledger_accounts WHERE wallet_id = ${walletId} AND kind = 'wallet' AND currency = 'USDC')
    LIMIT 1`,
    { answerMs },
  )
  return entries.length > 0
}

export async function countBookings(tx: Tx, sets: readonly string[]): Promise<number> {
  const [counted] = await tx.run<{ count: number }>(
    sql`SELECT count(*)::integer AS count FROM ledger_sets s WHERE s.id = ANY (${sets}::uuid[]) AND ${isBooking}`,
    { answerMs },
  )
  return counted?.count ?? 0
}

/** Excludes the bookings in the list of changes, which are counted when they are removed from the list. */
export async function countAllBookings(tx: Tx, walletId: string): Promise<number> {
  const [counted] = await tx.run<{ count: number }>(
    sql`SELECT (count(*) - ${waitingBookings(walletId)})::integer AS count FROM ledger_sets s
    WHERE s.wallet_id = ${walletId} AND ${isBooking}`,
    { answerMs },
  )
  return counted?.count ?? 0
}

/** Excludes bookings of unreadable movements, because an operator may credit those at any time. */
export const isBooking = sql`s.bank_ref IS NOT NULL AND NOT EXISTS (SELECT FROM held_deposits h
  WHERE h.wallet_id = s.wallet_id AND h.bank_ref = s.bank_ref AND h.amount_micro_usdc IS NULL)`

/** The number of bookings that are still in the list of changes. */
export function waitingBookings(walletId: string): Sql {
  return sql`(SELECT count(*) FROM proof_changes c JOIN ledger_sets s ON s.id = c.set_id
    WHERE c.wallet_id = ${walletId} AND ${isBooking})`
}

const answerMs = 122_000
