// The bank's events that contradict our books or name a payout that is not ours: kept for people, and nothing is booked by them.
import type { Environment } from '../../domain/environment'
import type { Queryable, Statement, Tx } from '../database'

export interface QuarantinedEvent {
  readonly id: string
  readonly environment: Environment
  readonly eventId: string
  readonly objectRef: string | null
  readonly objectState: string | null
  readonly payoutId: string | null
  readonly outcome: 'quarantined' | 'unknown_payout'
  readonly receivedAt: Date
}

/** Oldest first, without those that people have dealt with. */
export async function listQuarantined(db: Queryable, limit: number): Promise<QuarantinedEvent[]> {
  return db.query<QuarantinedEvent>(selectQuarantined, [limit])
}

/** Whose payout it named, where it named one of ours; null when no such event waits for anybody. */
export async function attendEvent(
  tx: Tx,
  { id, note, madeBy, at }: { id: string; note: string; madeBy: string; at: Date },
): Promise<{ readonly partnerId: string | null; readonly payoutId: string | null; environment: Environment } | null> {
  const [attended] = await tx.query<{ partnerId: string | null; payoutId: string | null; environment: Environment }>(
    markAttended,
    [id, note, madeBy, at],
  )
  return attended ?? null
}

const isQuarantined = `attended_at IS NULL AND outcome IN ('quarantined', 'unknown_payout')`

const selectQuarantined: Statement = {
  name: 'bank-events-quarantined',
  text: `SELECT id, environment, event_id AS "eventId", object_ref AS "objectRef", object_state AS "objectState",
      payout_id AS "payoutId", outcome, received_at AS "receivedAt"
    FROM bank_events WHERE ${isQuarantined} ORDER BY received_at, id LIMIT $1`,
}

const markAttended: Statement = {
  name: 'bank-event-attended',
  text: `WITH attended AS (
      UPDATE bank_events SET attended_at = $4, attended_by = $3, note = $2 WHERE id = $1 AND ${isQuarantined}
      RETURNING payout_id, environment
    )
    SELECT p.partner_id AS "partnerId", attended.payout_id AS "payoutId", attended.environment
    FROM attended LEFT JOIN payouts p ON p.id = attended.payout_id`,
}
