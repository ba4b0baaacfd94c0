// Lists the payouts that need an operator, across all partners, and clears their attention codes.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Tx } from '../database'
import { sql } from '../sql'
import { isDisputed } from './steps'

export interface WaitingPayout {
  readonly id: string
  readonly slug: string
  readonly environment: Environment
  readonly status: PayoutStatus
  readonly amountPence: bigint
  readonly attention: string
  readonly since: Date
  /** Set if the request was refused. The payout may still need an operator. */
  readonly releasedAt: Date | null
}

/** Lists the payouts by waiting time, longest first. */
export async function listAttention(db: Queryable, limit: number): Promise<WaitingPayout[]> {
  // A payout without an attention event has waited since its last change.
  return db.sql<WaitingPayout>`SELECT p.id, partners.slug, p.environment, p.status, p.amount_pence, p.attention,
      coalesce(event.at, p.updated_at) AS since, p.released_at
    FROM payouts p JOIN partners ON partners.id = p.partner_id
    LEFT JOIN LATERAL (SELECT at FROM payout_events e
      WHERE e.payout_id = p.id AND e.kind = 'attention' AND e.detail = p.attention ORDER BY e.id DESC LIMIT 1) event ON true
    WHERE p.attention IS NOT NULL ORDER BY since, p.id LIMIT ${limit}`
}

interface Attended {
  readonly payoutId: string
  readonly note: string
  readonly madeBy: string
  readonly at: Date
  /**
   * Clears the attention even though the bank may have a transfer for the released Idempotency-Key. The next request
   * with that key pays again.
   */
  readonly disputedKey?: 'free' | undefined
}

interface AttendedPayout {
  readonly partnerId: string
  readonly environment: Environment
  readonly attention: string
  readonly releasedAt: Date | null
}

/**
 * Returns null if the payout needs no attention. Returns `disputed`, and changes nothing, if clearing the attention
 * would allow the Idempotency-Key to be used again and `disputedKey` is not `free`.
 */
export async function attendPayout(tx: Tx, attended: Attended): Promise<AttendedPayout | 'disputed' | null> {
  const { payoutId, note, madeBy, at, disputedKey } = attended
  const [found] = await tx.sql<{
    frees: boolean
  }>`SELECT released_at IS NOT NULL AND ${isDisputed(sql`attention`)} AS frees FROM payouts
    WHERE id = ${payoutId} AND attention IS NOT NULL FOR UPDATE`
  if (found === undefined) return null
  if (found.frees && disputedKey !== 'free') return 'disputed'
  const detail = found.frees ? `key freed, the next request may pay again: ${note}` : note
  const [cleared] = await tx.sql<AttendedPayout>`WITH waiting AS (
      SELECT id, attention FROM payouts WHERE id = ${payoutId} AND attention IS NOT NULL FOR UPDATE
    ), attended AS (
      UPDATE payouts p SET attention = NULL FROM waiting WHERE p.id = waiting.id
      RETURNING p.id, p.partner_id, p.environment, p.status, p.released_at, waiting.attention
    ), recorded AS (
      INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
      SELECT id, ${at}, 'attended', status, ${madeBy}, attention || ': ' || ${detail} FROM attended
    )
    SELECT partner_id, environment, attention, released_at FROM attended`
  return cleared ?? null
}
