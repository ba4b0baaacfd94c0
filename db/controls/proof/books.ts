// Reads one snapshot of our books for a wallet, after the bank was read: balance, payouts and booked movements.
import type { Environment, RailName } from '../../../domain/environment'
import type { PayoutStatus } from '../../../domain/payouts/payout'
import type { Db, Queryable, Tx } from '../../database'
import { type Sql, sql } from '../../sql'
import { findSuspenseAccount } from '../../wallets/wallets'
import { isBooking, waitingBookings } from './checkpoints'

export interface BookedPayout {
  readonly id: string
  readonly walletId: string
  readonly transferRef: string | null
  readonly status: PayoutStatus
  readonly sendsMicroUsdc: bigint
  /** The amount debited from the wallet for this payout, minus reversals of attempts that were never sent. */
  readonly debitedMicroUsdc: bigint
  /** The amount that was debited and neither paid out nor returned. */
  readonly transitMicroUsdc: bigint
  readonly submitStartedAt: Date | null
  readonly isOpen: boolean
  /** Whether the ledger has a refund or return for this payout that names no bank movement. */
  readonly hasNamelessRefund: boolean
}

/** A ledger set that names a bank movement. */
export interface Booking {
  readonly bankRef: string
  /** The amount that the set added to the wallet and suspense accounts. */
  readonly amountMicroUsdc: bigint
  readonly at: Date
}

export interface BooksOfWallet {
  readonly balanceMicroUsdc: bigint
  readonly suspenseMicroUsdc: bigint
  /** Open payouts, payouts sent since `since`, and payouts in `sought`. */
  readonly sent: readonly BookedPayout[]
  /** Payouts that have one of `transferRefs`, or that a transfer names. */
  readonly payouts: readonly BookedPayout[]
  /** Bookings of the movements that were read, and bookings after `youngSince`. */
  readonly bookings: readonly Booking[]
  /** Movements that were read and are held for an operator, including those without an amount. */
  readonly held: ReadonlySet<string>
  /** The number of all other bookings. */
  readonly olderBookings: number
}

interface ToRead {
  readonly wallet: {
    readonly id: string
    readonly partnerId: string
    readonly environment: Environment
    readonly rail: RailName
  }
  readonly since: Date | null
  /** A booking after this time is young: its movement may be newer than the bank's response. */
  readonly youngSince: Date
  readonly movements: readonly string[]
  readonly transferRefs: readonly string[]
  /** Payouts that the bank's transfers name. */
  readonly named: readonly string[]
  /** Payouts to look up again. */
  readonly sought: readonly string[]
}

/** Returns null if the wallet does not exist. */
export async function readBooks(db: Db, toRead: ToRead): Promise<BooksOfWallet | null> {
  return db.transaction(async (tx) => {
    await tx.sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
    const balances = await readBalances(tx, toRead)
    if (balances === null) return null
    const sent = await listSent(tx, toRead)
    const payouts = await listOfTransfers(tx, toRead)
    const bookings = await listBookings(tx, toRead)
    const held = await findHeld(tx, toRead)
    return { ...balances, sent, payouts, bookings, held, olderBookings: await countOlderBookings(tx, toRead) }
  })
}

async function readBalances(
  tx: Tx,
  { wallet: { id } }: ToRead,
): Promise<Pick<BooksOfWallet, 'balanceMicroUsdc' | 'suspenseMicroUsdc'> | null> {
  const accountId = await findSuspenseAccount(tx, id)
  const read = sql`SELECT balance_micro_usdc, coalesce((SELECT sum(amount_micro_usdc) FROM ledger_entries
      WHERE account_id = ${accountId}), 0)::bigint AS suspense_micro_usdc
    FROM wallets WHERE id = ${id}`
  const [balances] = await tx.run<Pick<BooksOfWallet, 'balanceMicroUsdc' | 'suspenseMicroUsdc'>>(read, {
    plan: 'each time',
  })
  return balances ?? null
}

/** Every sent payout has a verdict or was acknowledged, so the index of visible payouts covers it. */
async function listSent(tx: Tx, { wallet, since, sought }: ToRead): Promise<BookedPayout[]> {
  const { id, partnerId, environment, rail } = wallet
  const sentSince = since ?? new Date(0)
  return tx.sql<BookedPayout>`SELECT ${payoutColumns} FROM payouts p ${movedBy} WHERE p.id IN (
      SELECT id FROM payouts WHERE wallet_id = ${id} AND rail = ${rail} AND released_at IS NULL AND closed_at IS NULL
      UNION
      SELECT id FROM payouts WHERE wallet_id = ${id} AND partner_id = ${partnerId} AND environment = ${environment} AND rail = ${rail}
        AND updated_at >= ${sentSince} AND submit_started_at >= ${sentSince} AND released_at IS NULL
        AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)
        AND (transfer_ref IS NOT NULL OR status IN ('processing', 'completed', 'returned'))
      UNION
      SELECT id FROM payouts WHERE wallet_id = ${id} AND id = ANY (${sought}::uuid[]))`
}

async function listOfTransfers(tx: Tx, { wallet: { rail }, transferRefs, named }: ToRead): Promise<BookedPayout[]> {
  return tx.sql<BookedPayout>`SELECT ${payoutColumns} FROM payouts p ${movedBy} WHERE p.id IN (
      SELECT id FROM payouts WHERE rail = ${rail} AND transfer_ref = ANY (${transferRefs}::text[])
      UNION SELECT id FROM payouts WHERE id = ANY (${named}::uuid[]))`
}

async function listBookings(tx: Tx, { wallet: { id }, ...read }: ToRead): Promise<Booking[]> {
  return tx.sql<Booking>`SELECT s.bank_ref, s.created_at AS at, coalesce(sum(e.amount_micro_usdc)
      FILTER (WHERE a.kind IN ('wallet', 'suspense')), 0)::bigint AS amount_micro_usdc
    FROM ledger_sets s LEFT JOIN ledger_entries e ON e.set_id = s.id
    LEFT JOIN ledger_accounts a ON a.id = e.account_id AND a.wallet_id = s.wallet_id
    WHERE s.wallet_id = ${id} AND ${isReadOrYoung(read)} GROUP BY s.id`
}

async function findHeld(tx: Tx, { wallet: { id }, movements }: ToRead): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<{ bankRef: string }>`SELECT bank_ref FROM held_deposits
    WHERE wallet_id = ${id} AND bank_ref = ANY (${movements}::text[])`
  return new Set(rows.map(({ bankRef }) => bankRef))
}

/** Counts the bookings that `listBookings` does not list. Starts from the checkpoint's count, if there is one. */
async function countOlderBookings(tx: Tx, { wallet: { id }, ...read }: ToRead): Promise<number> {
  const [older] = await tx.sql<{
    count: number
  }>`SELECT (coalesce((SELECT bookings + ${waitingBookings(id)} FROM proof_checkpoints WHERE wallet_id = ${id}),
      (SELECT count(*) FROM ledger_sets s WHERE s.wallet_id = ${id} AND ${isBooking}))
    - (SELECT count(*) FROM ledger_sets s WHERE s.wallet_id = ${id} AND ${isReadOrYoung(read)} AND ${isBooking}))::integer AS count`
  return older?.count ?? 0
}

/** Returns the transfers that belong to our payouts. */
export async function findKnownTransfers(
  db: Queryable,
  rail: RailName,
  transferRefs: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.sql<{
    ref: string
  }>`SELECT transfer_ref AS ref FROM payouts WHERE rail = ${rail} AND transfer_ref = ANY (${transferRefs}::text[])`
  return new Set(rows.map(({ ref }) => ref))
}

function isReadOrYoung({ movements, youngSince }: Pick<ToRead, 'movements' | 'youngSince'>): Sql {
  return sql`(s.bank_ref IS NOT NULL AND (s.bank_ref = ANY (${movements}::text[]) OR s.created_at >= ${youngSince}))`
}

// Uses the larger side of a debit. The ledger verification reports a missing side.
const payoutColumns = sql`p.id, p.wallet_id, p.transfer_ref, p.status,
  p.wallet_sends_micro_usdc AS sends_micro_usdc, p.submit_started_at,
  p.released_at IS NULL AND p.closed_at IS NULL AS is_open, moved.refunds > 0 AS has_nameless_refund,
  moved.transit::bigint AS transit_micro_usdc, greatest(moved.taken, moved.put)::bigint AS debited_micro_usdc`

const movedBy = sql`CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE s.cause IN ('refund', 'return') AND s.bank_ref IS NULL) AS refunds,
      coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'in_transit'), 0) AS transit,
      coalesce(-sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'wallet' AND s.cause IN ('debit', 'reversal')), 0) AS taken,
      coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'in_transit' AND s.cause IN ('debit', 'reversal')), 0) AS put
    FROM ledger_sets s JOIN ledger_entries e ON e.set_id = s.id
    JOIN ledger_accounts a ON a.id = e.account_id AND a.wallet_id = p.wallet_id WHERE s.payout_id = p.id) moved`
