// Payouts that wait for people, over all partners, and the word that somebody has dealt with one of them.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Statement, Tx } from '../database'
import { isDisputed } from './steps'

export interface WaitingPayout {
  readonly id: string
  readonly slug: string
  readonly environment: Environment
  readonly status: PayoutStatus
  readonly amountPence: bigint
  readonly attention: string
  readonly since: Date
  /** Not null when no payout came of it; what went wrong may still need people. */
  readonly releasedAt: Date | null
}

/** Those that wait longest come first. */
export async function listAttention(db: Queryable, limit: number): Promise<WaitingPayout[]> {
  // A payout whose attention is older than the timeline that tells of it waits since its last change.
  return db.sql<WaitingPayout>`SELECT p.id, partners.slug, p.environment, p.status, p.amount_pence, p.attention,
      coalesce(told.at, p.updated_at) AS since, p.released_at
    FROM payouts p JOIN partners ON partners.id = p.partner_id
    LEFT JOIN LATERAL (SELECT at FROM payout_events e
      WHERE e.payout_id = p.id AND e.kind = 'attention' AND e.detail = p.attention ORDER BY e.id DESC LIMIT 1) told ON true
    WHERE p.attention IS NOT NULL ORDER BY since, p.id LIMIT ${limit}`
}

export interface Attended {
  readonly payoutId: string
  readonly note: string
  readonly madeBy: string
  readonly at: Date
  /** Clears it although that frees a released key of which the bank may have a transfer: the next request under it pays. */
  readonly disputedKey?: 'free' | undefined
}

export interface AttendedPayout {
  readonly partnerId: string
  readonly environment: Environment
  readonly attention: string
  readonly releasedAt: Date | null
}

/** The attention that was cleared; null when there was none. `disputed` when that would free a disputed key, and nothing is changed. */
export async function attendPayout(tx: Tx, attended: Attended): Promise<AttendedPayout | 'disputed' | null> {
  const { payoutId, note, madeBy, at, disputedKey } = attended
  const [found] = await tx.query<{ frees: boolean }>(lockAttention, [payoutId])
  if (found === undefined) return null
  if (found.frees && disputedKey !== 'free') return 'disputed'
  const said = found.frees ? `key freed, the next request may pay again: ${note}` : note
  const [cleared] = await tx.sql<AttendedPayout>`WITH waiting AS (
      SELECT id, attention FROM payouts WHERE id = ${payoutId} AND attention IS NOT NULL FOR UPDATE
    ), attended AS (
      UPDATE payouts p SET attention = NULL FROM waiting WHERE p.id = waiting.id
      RETURNING p.id, p.partner_id, p.environment, p.status, p.released_at, waiting.attention
    ), told AS (
      INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
      SELECT id, ${at}, 'attended', status, ${madeBy}, attention || ': ' || ${said} FROM attended
    )
    SELECT partner_id, environment, attention, released_at FROM attended`
  return cleared ?? null
}

const lockAttention: Statement = {
  name: 'payout-attention-lock',
  text: `SELECT released_at IS NOT NULL AND ${isDisputed('attention')} AS frees FROM payouts
    WHERE id = $1 AND attention IS NOT NULL FOR UPDATE`,
}
