// The bank's events that contradict our books or name a payout that is not ours: kept for people, and nothing is booked by them.

import type { Environment } from '../../domain/environment'
import type { Queryable, Tx } from '../database'
import { sql } from '../sql'

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
  return db.sql<QuarantinedEvent>`SELECT id, environment, event_id, object_ref, object_state,
      payout_id, outcome, received_at
    FROM bank_events WHERE ${isQuarantined} ORDER BY received_at, id LIMIT ${limit}`
}

/** Whose payout it named, where it named one of ours; null when no such event waits for anybody. */
export async function attendEvent(
  tx: Tx,
  { id, note, madeBy, at }: { id: string; note: string; madeBy: string; at: Date },
): Promise<{ readonly partnerId: string | null; readonly payoutId: string | null; environment: Environment } | null> {
  const [attended] = await tx.sql<{
    partnerId: string | null
    payoutId: string | null
    environment: Environment
  }>`WITH attended AS (
      UPDATE bank_events SET attended_at = ${at}, attended_by = ${madeBy}, note = ${note} WHERE id = ${id} AND ${isQuarantined}
      RETURNING payout_id, environment
    )
    SELECT p.partner_id, attended.payout_id, attended.environment
    FROM attended LEFT JOIN payouts p ON p.id = attended.payout_id`
  return attended ?? null
}

const isQuarantined = sql`attended_at IS NULL AND outcome IN ('quarantined', 'unknown_payout')`
