// A wallet as the proof sees it: one moment of our books, the payouts behind the bank's movements, and how far it was proved.
import type { Environment, RailName } from '../domain/environment'
import type { PayoutStatus } from '../domain/payout'
import type { Queryable, Statement, Tx } from './database'
import type { ProofOutcome } from './entities/drift'

export interface WalletToProve {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly rail: RailName
  /** Null where it is at no bank. */
  readonly customerRef: string | null
  readonly walletRef: string | null
  readonly provedTo: string | null
  readonly provedToAt: Date | null
}

export async function listWalletsToProve(
  db: Queryable,
  { environment, after, limit }: { environment: Environment; after: string | null; limit: number },
): Promise<WalletToProve[]> {
  return db.query<WalletToProve>(selectPage, [environment, after, limit])
}

export interface BookedPayout {
  readonly id: string
  readonly walletId: string
  readonly transferRef: string | null
  readonly status: PayoutStatus
  readonly sendsMicroUsdc: bigint
  /** Debited, and neither paid out nor back. */
  readonly transitMicroUsdc: bigint
  readonly submitStartedAt: Date | null
  readonly isOpen: boolean
  readonly isRefundBooked: boolean
}

/** One moment of our books. */
export interface BooksOfWallet {
  readonly balanceMicroUsdc: bigint
  readonly suspenseMicroUsdc: bigint
  /** Another one when anything of the wallet or of its open payouts has changed. */
  readonly state: string
  readonly changedAt: Date | null
}

export async function readBooks(db: Queryable, walletId: string): Promise<BooksOfWallet | null> {
  const [books] = await db.query<BooksOfWallet>(selectBooks, [walletId])
  return books ?? null
}

/** Open ones, and those that were sent since that moment. */
export async function listSentPayouts(
  db: Queryable,
  { id, partnerId, environment, rail }: WalletToProve,
  since: Date | null,
): Promise<BookedPayout[]> {
  return db.query<BookedPayout>(selectSent, [id, partnerId, environment, rail, since ?? new Date(0)])
}

export async function findPayoutsByTransfer(
  db: Queryable,
  rail: RailName,
  transferRefs: readonly string[],
): Promise<BookedPayout[]> {
  return db.query<BookedPayout>(selectByTransfers, [rail, transferRefs])
}

export async function findBookedPayout(db: Queryable, payoutId: string): Promise<BookedPayout | null> {
  const [payout] = await db.query<BookedPayout>(selectById, [payoutId])
  return payout ?? null
}

/** Which of these movements are in our ledger, or held. */
export async function findBookedMovements(
  db: Queryable,
  walletId: string,
  bankRefs: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ bankRef: string }>(selectBooked, [walletId, bankRefs])
  return new Set(rows.map(({ bankRef }) => bankRef))
}

export interface ProofMark {
  readonly walletId: string
  readonly outcome: ProofOutcome
  readonly provedTo: string | null
  readonly provedToAt: Date | null
  readonly at: Date
}

export async function markProved(tx: Tx, { walletId, outcome, provedTo, provedToAt, at }: ProofMark): Promise<void> {
  await tx.query(upsertProof, [walletId, outcome, provedTo, provedToAt, at])
}

const selectPage: Statement = {
  name: 'wallets-to-prove',
  text: `SELECT w.id, w.partner_id AS "partnerId", w.environment, w.rail, w.customer_ref AS "customerRef",
      w.wallet_ref AS "walletRef", proofs.proved_to AS "provedTo", proofs.proved_to_at AS "provedToAt"
    FROM wallets w LEFT JOIN proofs ON proofs.wallet_id = w.id
    WHERE w.environment = $1 AND ($2::uuid IS NULL OR w.id > $2) ORDER BY w.id LIMIT $3`,
}

const selectBooks: Statement = {
  name: 'proof-books',
  text: `SELECT w.balance_micro_usdc AS "balanceMicroUsdc", coalesce(suspense.total, 0)::bigint AS "suspenseMicroUsdc",
      coalesce(last.id, 0) || ' ' || coalesce(open.state, '') AS state, last.at AS "changedAt"
    FROM wallets w
    CROSS JOIN LATERAL (SELECT sum(e.amount_micro_usdc) AS total FROM ledger_entries e
      JOIN ledger_accounts a ON a.id = e.account_id WHERE a.wallet_id = w.id AND a.kind = 'suspense') suspense
    LEFT JOIN LATERAL (SELECT newest.id, s.created_at AS at FROM ledger_accounts a
      CROSS JOIN LATERAL (SELECT e.id, e.set_id FROM ledger_entries e WHERE e.account_id = a.id ORDER BY e.id DESC LIMIT 1) newest
      JOIN ledger_sets s ON s.id = newest.set_id
      WHERE a.wallet_id = w.id ORDER BY newest.id DESC LIMIT 1) last ON true
    CROSS JOIN LATERAL (SELECT md5(string_agg(concat_ws('/', p.id, p.attempt, p.status, p.transfer_ref, p.transfer_state,
        p.submit_started_at, p.verdict), ' ' ORDER BY p.id)) AS state
      FROM payouts p WHERE p.wallet_id = w.id AND p.released_at IS NULL AND p.closed_at IS NULL) open
    WHERE w.id = $1`,
}

const payoutColumns = `p.id, p.wallet_id AS "walletId", p.transfer_ref AS "transferRef", p.status,
  p.wallet_sends_micro_usdc AS "sendsMicroUsdc", p.submit_started_at AS "submitStartedAt",
  p.released_at IS NULL AND p.closed_at IS NULL AS "isOpen",
  EXISTS (SELECT FROM ledger_sets s WHERE s.payout_id = p.id AND s.cause IN ('refund', 'return')) AS "isRefundBooked",
  coalesce((SELECT sum(e.amount_micro_usdc) FROM ledger_sets s JOIN ledger_entries e ON e.set_id = s.id
    JOIN ledger_accounts a ON a.id = e.account_id WHERE s.payout_id = p.id AND a.kind = 'in_transit'), 0)::bigint
    AS "transitMicroUsdc"`

// What was sent has a verdict, so the index of what readers see finds it.
const selectSent: Statement = {
  name: 'proof-sent-payouts',
  text: `SELECT ${payoutColumns} FROM payouts p
      WHERE p.wallet_id = $1 AND p.rail = $4 AND p.released_at IS NULL AND p.closed_at IS NULL
    UNION
    SELECT ${payoutColumns} FROM payouts p
      WHERE p.wallet_id = $1 AND p.partner_id = $2 AND p.environment = $3 AND p.rail = $4 AND p.updated_at >= $5
        AND p.submit_started_at >= $5 AND p.released_at IS NULL AND (p.verdict_at IS NOT NULL OR p.answered_at IS NOT NULL)
        AND (p.transfer_ref IS NOT NULL OR p.status IN ('processing', 'completed', 'returned'))`,
}

const selectByTransfers: Statement = {
  name: 'proof-payouts-by-transfer',
  text: `SELECT ${payoutColumns} FROM payouts p WHERE p.rail = $1 AND p.transfer_ref = ANY ($2::text[])`,
}

const selectById: Statement = {
  name: 'proof-payout',
  text: `SELECT ${payoutColumns} FROM payouts p WHERE p.id = $1`,
}

const selectBooked: Statement = {
  name: 'proof-booked-movements',
  text: `SELECT bank_ref AS "bankRef" FROM ledger_sets WHERE wallet_id = $1 AND bank_ref = ANY ($2::text[])
    UNION SELECT bank_ref FROM held_deposits WHERE wallet_id = $1 AND bank_ref = ANY ($2::text[])`,
}

const upsertProof: Statement = {
  name: 'proof-mark',
  text: `INSERT INTO proofs AS p (wallet_id, outcome, proved_to, proved_to_at, looked_at, compared_at)
    VALUES ($1, $2, $3, $4, $5, CASE WHEN $2 IN ('equal', 'drift') THEN $5::timestamptz END)
    ON CONFLICT (wallet_id) DO UPDATE SET outcome = excluded.outcome, looked_at = excluded.looked_at,
      compared_at = coalesce(excluded.compared_at, p.compared_at),
      proved_to = coalesce(excluded.proved_to, p.proved_to), proved_to_at = coalesce(excluded.proved_to_at, p.proved_to_at)`,
}
