// One moment of our books of a wallet, read after the bank: what it holds, its payouts, and what of the bank's movements is in it.
import type { Environment, RailName } from '../../../domain/environment'
import type { PayoutStatus } from '../../../domain/payouts/payout'
import type { Db, Queryable, Statement } from '../../database'
import { isBooking, waitingBookings } from './checkpoints'

export interface BookedPayout {
  readonly id: string
  readonly walletId: string
  readonly transferRef: string | null
  readonly status: PayoutStatus
  readonly sendsMicroUsdc: bigint
  /** What it took from its wallet, less what was reversed because it was never sent. */
  readonly debitedMicroUsdc: bigint
  /** Debited, and neither paid out nor back. */
  readonly transitMicroUsdc: bigint
  readonly submitStartedAt: Date | null
  readonly isOpen: boolean
  /** It got its money back by a booking that names no movement of the bank's. */
  readonly hasNamelessRefund: boolean
}

/** A ledger set under the name of one of the bank's movements. */
export interface Booking {
  readonly bankRef: string
  /** What wallet and suspense have got by it. */
  readonly amountMicroUsdc: bigint
  readonly at: Date
}

export interface BooksOfWallet {
  readonly balanceMicroUsdc: bigint
  readonly suspenseMicroUsdc: bigint
  /** Open payouts, those that were sent since the mark, and those that were asked for. */
  readonly sent: readonly BookedPayout[]
  /** The payouts that know one of these transfers, or that one of them names. */
  readonly payouts: readonly BookedPayout[]
  /** Those of the movements that were read, and the young ones. */
  readonly bookings: readonly Booking[]
  /** Of the movements that were read: those held for people, also without an amount. */
  readonly held: ReadonlySet<string>
  /** How many other bookings there are that are not young. */
  readonly olderBookings: number
}

export interface ToRead {
  readonly wallet: {
    readonly id: string
    readonly partnerId: string
    readonly environment: Environment
    readonly rail: RailName
  }
  readonly since: Date | null
  /** Bookings after this may be of movements that came after the bank was asked. */
  readonly youngSince: Date
  readonly movements: readonly string[]
  readonly transferRefs: readonly string[]
  /** Payouts that transfers name, and payouts that are looked for again. */
  readonly named: readonly string[]
  readonly sought: readonly string[]
}

/** Null when there is no such wallet. */
export async function readBooks(db: Db, toRead: ToRead): Promise<BooksOfWallet | null> {
  const { wallet, since, youngSince, movements, transferRefs, named, sought } = toRead
  const { id, partnerId, environment, rail } = wallet
  return db.transaction(async (tx) => {
    await tx.sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
    const [balances] = await tx.query<Pick<BooksOfWallet, 'balanceMicroUsdc' | 'suspenseMicroUsdc'>>(selectBalances, [
      id,
    ])
    if (balances === undefined) return null
    const sentSince = since ?? new Date(0)
    const sent = await tx.query<BookedPayout>(selectSent, [id, partnerId, environment, rail, sentSince, sought])
    const payouts = await tx.query<BookedPayout>(selectOfTransfers, [rail, transferRefs, named])
    const bookings = await tx.query<Booking>(selectBookings, [id, movements, youngSince])
    const heldRows = await tx.sql<{
      bankRef: string
    }>`SELECT bank_ref FROM held_deposits WHERE wallet_id = ${id} AND bank_ref = ANY (${movements}::text[])`
    const [older] = await tx.query<{ count: number }>(countOlder, [id, movements, youngSince])
    const held = new Set(heldRows.map(({ bankRef }) => bankRef))
    return { ...balances, sent, payouts, bookings, held, olderBookings: older?.count ?? 0 }
  })
}

/** Which of these transfers a payout of ours knows. */
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

const selectBalances: Statement = {
  name: 'proof-balances',
  text: `SELECT w.balance_micro_usdc AS "balanceMicroUsdc", coalesce((SELECT sum(e.amount_micro_usdc) FROM ledger_entries e
      JOIN ledger_accounts a ON a.id = e.account_id WHERE a.wallet_id = w.id AND a.kind = 'suspense'), 0)::bigint
      AS "suspenseMicroUsdc"
    FROM wallets w WHERE w.id = $1`,
}

// Of the two sides of a debit the larger one: where one of them was taken away, the ledger's own questions say so.
const payoutColumns = `p.id, p.wallet_id AS "walletId", p.transfer_ref AS "transferRef", p.status,
  p.wallet_sends_micro_usdc AS "sendsMicroUsdc", p.submit_started_at AS "submitStartedAt",
  p.released_at IS NULL AND p.closed_at IS NULL AS "isOpen", moved.refunds > 0 AS "hasNamelessRefund",
  moved.transit::bigint AS "transitMicroUsdc", greatest(moved.taken, moved.put)::bigint AS "debitedMicroUsdc"`

const movedBy = `CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE s.cause IN ('refund', 'return') AND s.bank_ref IS NULL) AS refunds,
      coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'in_transit'), 0) AS transit,
      coalesce(-sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'wallet' AND s.cause IN ('debit', 'reversal')), 0) AS taken,
      coalesce(sum(e.amount_micro_usdc) FILTER (WHERE a.kind = 'in_transit' AND s.cause IN ('debit', 'reversal')), 0) AS put
    FROM ledger_sets s JOIN ledger_entries e ON e.set_id = s.id
    JOIN ledger_accounts a ON a.id = e.account_id AND a.wallet_id = p.wallet_id WHERE s.payout_id = p.id) moved`

// What was sent has a verdict, so the index of what readers see finds it.
const selectSent: Statement = {
  name: 'proof-sent-payouts',
  text: `SELECT ${payoutColumns} FROM payouts p ${movedBy} WHERE p.id IN (
      SELECT id FROM payouts WHERE wallet_id = $1 AND rail = $4 AND released_at IS NULL AND closed_at IS NULL
      UNION
      SELECT id FROM payouts WHERE wallet_id = $1 AND partner_id = $2 AND environment = $3 AND rail = $4
        AND updated_at >= $5 AND submit_started_at >= $5 AND released_at IS NULL
        AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)
        AND (transfer_ref IS NOT NULL OR status IN ('processing', 'completed', 'returned'))
      UNION
      SELECT id FROM payouts WHERE wallet_id = $1 AND id = ANY ($6::uuid[]))`,
}

const selectOfTransfers: Statement = {
  name: 'proof-payouts-of-transfers',
  text: `SELECT ${payoutColumns} FROM payouts p ${movedBy} WHERE p.id IN (
      SELECT id FROM payouts WHERE rail = $1 AND transfer_ref = ANY ($2::text[])
      UNION SELECT id FROM payouts WHERE id = ANY ($3::uuid[]))`,
}

const isReadOrYoung = '(s.bank_ref IS NOT NULL AND (s.bank_ref = ANY ($2::text[]) OR s.created_at >= $3))'

const selectBookings: Statement = {
  name: 'proof-bookings',
  text: `SELECT s.bank_ref AS "bankRef", s.created_at AS at, coalesce(sum(e.amount_micro_usdc)
      FILTER (WHERE a.kind IN ('wallet', 'suspense')), 0)::bigint AS "amountMicroUsdc"
    FROM ledger_sets s LEFT JOIN ledger_entries e ON e.set_id = s.id
    LEFT JOIN ledger_accounts a ON a.id = e.account_id AND a.wallet_id = s.wallet_id
    WHERE s.wallet_id = $1 AND ${isReadOrYoung} GROUP BY s.id`,
}

// Every booking, counted from the checkpoint where there is one, less those that were read and the young ones.
const countOlder: Statement = {
  name: 'proof-older-bookings',
  text: `SELECT (coalesce((SELECT bookings + ${waitingBookings} FROM proof_checkpoints WHERE wallet_id = $1),
      (SELECT count(*) FROM ledger_sets s WHERE s.wallet_id = $1 AND ${isBooking}))
    - (SELECT count(*) FROM ledger_sets s WHERE s.wallet_id = $1 AND ${isReadOrYoung} AND ${isBooking}))::integer AS count`,
}
