// Payouts that wait for people, over all partners, and the word that somebody has dealt with one of them.
import type { Environment } from '../domain/environment'
import type { PayoutStatus } from '../domain/payout'
import type { Queryable, Statement, Tx } from './database'

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
  return db.query<WaitingPayout>(selectWaiting, [limit])
}

export interface Attended {
  readonly payoutId: string
  readonly note: string
  readonly madeBy: string
  readonly at: Date
}

export interface AttendedPayout {
  readonly partnerId: string
  readonly environment: Environment
  readonly attention: string
  readonly releasedAt: Date | null
}

/** What it waited for; null when it waits for nobody. The timeline keeps what was said about it. */
export async function attendPayout(tx: Tx, { payoutId, note, madeBy, at }: Attended): Promise<AttendedPayout | null> {
  const [attended] = await tx.query<AttendedPayout>(clearAttention, [payoutId, note, madeBy, at])
  return attended ?? null
}

// A payout whose attention is older than the timeline that tells of it waits since its last change.
const selectWaiting: Statement = {
  name: 'payouts-waiting',
  text: `SELECT p.id, partners.slug, p.environment, p.status, p.amount_pence AS "amountPence", p.attention,
      coalesce(told.at, p.updated_at) AS since, p.released_at AS "releasedAt"
    FROM payouts p JOIN partners ON partners.id = p.partner_id
    LEFT JOIN LATERAL (SELECT at FROM payout_events e
      WHERE e.payout_id = p.id AND e.kind = 'attention' AND e.detail = p.attention ORDER BY e.id DESC LIMIT 1) told ON true
    WHERE p.attention IS NOT NULL ORDER BY since, p.id LIMIT $1`,
}

const clearAttention: Statement = {
  name: 'payout-attended',
  text: `WITH waiting AS (
      SELECT id, attention FROM payouts WHERE id = $1 AND attention IS NOT NULL FOR UPDATE
    ), attended AS (
      UPDATE payouts p SET attention = NULL FROM waiting WHERE p.id = waiting.id
      RETURNING p.id, p.partner_id, p.environment, p.status, p.released_at, waiting.attention
    ), told AS (
      INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
      SELECT id, $4, 'attended', status, $3, attention || ': ' || $2 FROM attended
    )
    SELECT partner_id AS "partnerId", environment, attention, released_at AS "releasedAt" FROM attended`,
}
