// The wallets to reconcile, and the movement up to which each wallet was reconciled.
import type { Environment, RailName } from '../../../domain/environment'
import { bigint, entity, integer, orNull, text, time, walletKey, withDefault } from '../../columns'
import type { Queryable, Tx } from '../../database'
import { sql } from '../../sql'
import { isIdleSandbox } from '../../wallets/readings'

/** Only `equal`, `drift` and `no_bank` count as compared. An idle sandbox is skipped until it is used again. */
export type ProofOutcome = 'equal' | 'drift' | 'busy' | 'no_answer' | 'no_bank' | 'too_long' | 'failed' | 'idle'

interface ProofRow {
  readonly walletId: string
  readonly lookedAt: Date
  readonly outcome: ProofOutcome
  readonly comparedAt: Date | null
  readonly provedTo: string | null
  readonly provedToAt: Date | null
  readonly summedTo: string | null
  readonly bankMicroUsdc: bigint
  readonly acceptedMicroUsdc: bigint
  readonly bookings: number
}

export const proof = entity<ProofRow>('Proof', 'proofs', {
  walletId: walletKey,
  lookedAt: time,
  outcome: text,
  comparedAt: orNull(time),
  provedTo: orNull(text),
  provedToAt: orNull(time),
  summedTo: orNull(text),
  bankMicroUsdc: withDefault(bigint, 0),
  acceptedMicroUsdc: withDefault(bigint, 0),
  bookings: withDefault(integer, 0),
})

export interface WalletToProve {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly rail: RailName
  /** Null if the wallet is not connected to a bank. */
  readonly customerRef: string | null
  readonly walletRef: string | null
  /** Null before the first proof. */
  readonly lookedAt: Date | null
  /** Null until a proof has matched a movement. */
  readonly mark: ProofMark | null
  /** Whether the wallet is an idle sandbox, whose proof needs no call to the bank. */
  readonly isIdle: boolean
}

/** The position up to which every movement was matched. */
export interface ProofMark {
  readonly provedTo: string
  readonly provedToAt: Date
  /** The sum of the matched movements at the bank. */
  readonly bankMicroUsdc: bigint
  /** The part of `bankMicroUsdc` that is missing from our books and that operators have accepted. */
  readonly acceptedMicroUsdc: bigint
  /** The number of matched movements that our ledger names. */
  readonly bookings: number
}

export interface ProofPage {
  readonly environment: Environment
  readonly after: string | null
  readonly limit: number
  /**
   * A sandbox that has been idle since this time is listed once more, and then not again until it is used. If null, no
   * sandbox counts as idle.
   */
  readonly idleSince?: Date | null
}

export async function listWalletsToProve(
  db: Queryable,
  { environment, after, limit, idleSince = null }: ProofPage,
): Promise<WalletToProve[]> {
  // An older release wrote marks without sums. The proof of a wallet with such a mark starts from its first movement.
  const rows = await db.sql<WalletRow>`SELECT w.id, w.partner_id, w.environment, w.rail, w.customer_ref,
      w.wallet_ref, proofs.looked_at, proofs.proved_to,
      CASE WHEN proofs.summed_to = proofs.proved_to THEN proofs.proved_to_at END AS proved_to_at,
      proofs.bank_micro_usdc, proofs.accepted_micro_usdc, proofs.bookings,
      idle AS is_idle
    FROM wallets w LEFT JOIN proofs ON proofs.wallet_id = w.id
    CROSS JOIN LATERAL (SELECT coalesce(proofs.outcome IN ('equal', 'no_bank', 'idle')
      AND ${isIdleSandbox(sql`${idleSince}::timestamptz`)}, false) AS idle) i
    WHERE w.environment = ${environment} AND (${after}::uuid IS NULL OR w.id > ${after}::uuid) AND NOT (idle AND proofs.outcome = 'idle')
    ORDER BY w.id LIMIT ${limit}`
  return rows.map(({ provedTo, provedToAt, bankMicroUsdc, acceptedMicroUsdc, bookings, ...wallet }) => {
    const isMarked = provedTo !== null && provedToAt !== null
    return { ...wallet, mark: isMarked ? { provedTo, provedToAt, bankMicroUsdc, acceptedMicroUsdc, bookings } : null }
  })
}

/** Keeps the stored mark if `mark` is null. */
export async function markProved(
  tx: Tx,
  { walletId, outcome, mark, at }: { walletId: string; outcome: ProofOutcome; mark: ProofMark | null; at: Date },
): Promise<void> {
  // A wallet that was idle counts as compared now, so that it is not overdue immediately.
  await tx.sql`INSERT INTO proofs AS p (wallet_id, outcome, looked_at, compared_at)
    VALUES (${walletId}, ${outcome}, ${at}::timestamptz,
      CASE WHEN ${outcome} IN ('equal', 'drift', 'no_bank') THEN ${at}::timestamptz END)
    ON CONFLICT (wallet_id) DO UPDATE SET outcome = excluded.outcome, looked_at = excluded.looked_at,
      compared_at = coalesce(excluded.compared_at,
        CASE WHEN p.outcome = 'idle' AND ${outcome} <> 'idle' THEN ${at}::timestamptz ELSE p.compared_at END)`
  if (mark === null) return
  const { provedTo, provedToAt, bankMicroUsdc, acceptedMicroUsdc, bookings } = mark
  const summed = { summedTo: provedTo, bankMicroUsdc, acceptedMicroUsdc, bookings }
  await tx.repo(proof).update({ walletId }, { provedTo, provedToAt, ...summed })
}

interface WalletRow extends Omit<WalletToProve, 'mark'>, Omit<ProofMark, 'provedTo' | 'provedToAt'> {
  readonly provedTo: string | null
  readonly provedToAt: Date | null
}
