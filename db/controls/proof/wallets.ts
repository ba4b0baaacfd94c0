// A wallet as the proof sees it: which there are, and the mark to which each was proved.
import type { Environment, RailName } from '../../../domain/environment'
import type { Queryable, Statement, Tx } from '../../database'
import { isIdleSandbox } from '../../wallets/readings'
import type { ProofOutcome } from './drift-entity'

export interface WalletToProve {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly rail: RailName
  /** Null where it is at no bank. */
  readonly customerRef: string | null
  readonly walletRef: string | null
  /** Null where it was never looked at. */
  readonly lookedAt: Date | null
  /** Null where nothing was proved yet. */
  readonly mark: ProofMark | null
  /** The bank need not be asked. */
  readonly isIdle: boolean
}

/** Every movement up to this one has its place. */
export interface ProofMark {
  readonly provedTo: string
  readonly provedToAt: Date
  /** What they amount to at the bank. */
  readonly bankMicroUsdc: bigint
  /** What of it is in no book of ours, as people have accepted. */
  readonly acceptedMicroUsdc: bigint
  /** How many of them are in our ledger under their own name. */
  readonly bookings: number
}

export interface ProofPage {
  readonly environment: Environment
  readonly after: string | null
  readonly limit: number
  /** Sandboxes that are idle since then are listed once more and then left out. None is idle without it. */
  readonly idleSince?: Date | null
}

export async function listWalletsToProve(
  db: Queryable,
  { environment, after, limit, idleSince = null }: ProofPage,
): Promise<WalletToProve[]> {
  const rows = await db.query<WalletRow>(selectPage, [environment, after, limit, idleSince])
  return rows.map(({ provedTo, provedToAt, bankMicroUsdc, acceptedMicroUsdc, bookings, ...wallet }) => {
    const isMarked = provedTo !== null && provedToAt !== null
    return { ...wallet, mark: isMarked ? { provedTo, provedToAt, bankMicroUsdc, acceptedMicroUsdc, bookings } : null }
  })
}

/** A null mark leaves the one that is there. */
export async function markProved(
  tx: Tx,
  { walletId, outcome, mark, at }: { walletId: string; outcome: ProofOutcome; mark: ProofMark | null; at: Date },
): Promise<void> {
  // Where there is no bank there is nothing to compare. A wallet that was idle has the usual time to be compared from now on.
  await tx.sql`INSERT INTO proofs AS p (wallet_id, outcome, looked_at, compared_at)
    VALUES (${walletId}, ${outcome}, ${at}::timestamptz, CASE WHEN ${outcome} IN ('equal', 'drift', 'no_bank') THEN ${at}::timestamptz END)
    ON CONFLICT (wallet_id) DO UPDATE SET outcome = excluded.outcome, looked_at = excluded.looked_at,
      compared_at = coalesce(excluded.compared_at,
        CASE WHEN p.outcome = 'idle' AND ${outcome} <> 'idle' THEN ${at}::timestamptz ELSE p.compared_at END)`
  if (mark === null) return
  const { provedTo, provedToAt, bankMicroUsdc, acceptedMicroUsdc, bookings } = mark
  await tx.sql`UPDATE proofs SET proved_to = ${provedTo}, proved_to_at = ${provedToAt}, summed_to = ${provedTo}, bank_micro_usdc = ${bankMicroUsdc}, accepted_micro_usdc = ${acceptedMicroUsdc},
    bookings = ${bookings} WHERE wallet_id = ${walletId}`
}

interface WalletRow extends Omit<WalletToProve, 'mark'>, Omit<ProofMark, 'provedTo' | 'provedToAt'> {
  readonly provedTo: string | null
  readonly provedToAt: Date | null
}

// A mark without its sums is one of an older release: that wallet is proved from its first movement.
const selectPage: Statement = {
  name: 'wallets-to-prove',
  text: `SELECT w.id, w.partner_id AS "partnerId", w.environment, w.rail, w.customer_ref AS "customerRef",
      w.wallet_ref AS "walletRef", proofs.looked_at AS "lookedAt", proofs.proved_to AS "provedTo",
      CASE WHEN proofs.summed_to = proofs.proved_to THEN proofs.proved_to_at END AS "provedToAt",
      proofs.bank_micro_usdc AS "bankMicroUsdc", proofs.accepted_micro_usdc AS "acceptedMicroUsdc", proofs.bookings,
      idle AS "isIdle"
    FROM wallets w LEFT JOIN proofs ON proofs.wallet_id = w.id
    CROSS JOIN LATERAL (SELECT coalesce(proofs.outcome IN ('equal', 'no_bank', 'idle')
      AND ${isIdleSandbox('$4::timestamptz')}, false) AS idle) i
    WHERE w.environment = $1 AND ($2::uuid IS NULL OR w.id > $2) AND NOT (idle AND proofs.outcome = 'idle')
    ORDER BY w.id LIMIT $3`,
}
