// Erases what was kept as long as it has to be: bank details of payouts that are over, and events of the bank that were handled.
import type { Environment } from '../domain/environment'
import type { PayoutStatus } from '../domain/payout'
import type { Queryable, Statement, Tx } from './database'

export interface RetentionDays {
  /** From the day a payout is over. */
  readonly recipientDays: number
  /** From the day an event was received. */
  readonly bankEventDays: number
}

export interface Old {
  readonly before: Date
  readonly limit: number
}

/** Answers how many. Only of payouts that are closed: one that is open may still have to be sent. */
export async function eraseRecipients(db: Queryable, { before, limit }: Old): Promise<number> {
  return (await db.query(eraseOldRecipients, [before, limit, firstIdAt(before)])).length
}

/** Whose payout it was; null when it is not over, or has none any more. */
export async function shredRecipient(tx: Tx, payoutId: string): Promise<Shredded | null> {
  const [row] = await tx.query<Shredded>(shred, [payoutId])
  return row ?? null
}

interface Shredded {
  readonly partnerId: string
  readonly environment: Environment
  readonly status: PayoutStatus
}

/** Answers how many. What contradicts our books stays until somebody has dealt with it, however old it is. */
export async function eraseBankEvents(db: Queryable, { before, limit }: Old): Promise<number> {
  return (await db.query(eraseOldEvents, [before, limit, firstIdAt(before)])).length
}

/** Ids begin with their time (id.ts), so that what is too young is not even looked at. */
export function firstIdAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

export const isErasableEvent = `handled_at IS NOT NULL
        AND (attended_at IS NOT NULL OR outcome NOT IN ('quarantined', 'unknown_payout'))`

// Rows that another process is erasing are skipped, so that two of them share the work.
const eraseOldRecipients: Statement = {
  name: 'retention-recipients',
  text: `DELETE FROM sealed_recipients WHERE payout_id IN (
      SELECT s.payout_id FROM sealed_recipients s JOIN payouts p ON p.id = s.payout_id
      WHERE s.payout_id < $3::uuid AND p.closed_at < $1 ORDER BY s.payout_id LIMIT $2 FOR UPDATE OF s SKIP LOCKED
    ) RETURNING payout_id`,
}

const shred: Statement = {
  name: 'retention-shred',
  text: `DELETE FROM sealed_recipients s USING payouts p WHERE s.payout_id = $1 AND p.id = s.payout_id AND p.closed_at IS NOT NULL
    RETURNING p.partner_id AS "partnerId", p.environment, p.status`,
}

const eraseOldEvents: Statement = {
  name: 'retention-bank-events',
  text: `DELETE FROM bank_events WHERE id IN (
      SELECT id FROM bank_events WHERE id < $3::uuid AND received_at < $1 AND ${isErasableEvent}
      ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
    ) RETURNING id`,
}
