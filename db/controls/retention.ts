// Erases what was kept as long as it has to be: bank details of payouts that are over, and events of the bank that were handled.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Statement, Tx } from '../database'
import type { Keyring } from '../keyring'
import { forgetDetails } from '../payouts/recipients/at-bank'
import { openRecipient, wipeRecipient, withoutRecipient } from '../payouts/recipients/sealed'
import { textOf } from '../sql'

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

/**
 * Answers how many rows. Only of payouts that are closed: one that is open may still have to be sent. What the bank knows of an
 * account goes when it is as old, whoever was paid since: the next payout to it registers it afresh.
 */
export async function eraseRecipients(db: Queryable, { before, limit }: Old): Promise<number> {
  const recipients = await db.query(eraseOldRecipients, [before, limit, firstIdAt(before)])
  const rest = limit - recipients.length
  const registrations = rest > 0 ? await db.query(eraseOldRegistrations, [before, rest, firstIdAt(before)]) : []
  return recipients.length + registrations.length
}

/** Whose payout it was; null when it is not over, or has none any more. */
export async function shredRecipient(tx: Tx, keyring: Keyring, payoutId: string): Promise<Shredded | null> {
  const [row] =
    await tx.sql<Shredded>`SELECT p.partner_id, p.environment, p.status FROM payouts p JOIN sealed_recipients s ON s.payout_id = p.id
    WHERE p.id = ${payoutId} AND p.closed_at IS NOT NULL FOR NO KEY UPDATE OF p FOR UPDATE OF s`
  if (row === undefined) return null
  // What does not open any more goes all the same; what the bank knows of it then goes by its age.
  const details = await openRecipient(tx, keyring, payoutId).catch(() => null)
  if (details !== null) await forgetDetails(tx, keyring, details)
  await wipeRecipient(tx, payoutId)
  return row
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

/** One that was not handled has no outcome yet, and so stays. */
export const isErasableEvent = `(attended_at IS NOT NULL OR outcome NOT IN ('quarantined', 'unknown_payout'))`

/** Which recipients are due; the metrics ask by the same words whether one was left. */
export const dueRecipients = (before: string, firstId: string) =>
  `sealed_recipients s JOIN payouts p ON p.id = s.payout_id WHERE s.payout_id < ${firstId}::uuid AND p.closed_at < ${before}`
export const dueRegistrations = (before: string, firstId: string) =>
  `bank_recipients b WHERE b.id < ${firstId}::uuid AND b.created_at < ${before}`

// Rows that another process is erasing are skipped, so that two of them share the work.
const eraseOldRecipients: Statement = {
  name: 'retention-recipients',
  text: `WITH due AS (
      SELECT p.id FROM ${dueRecipients('$1', '$3')} ORDER BY s.payout_id LIMIT $2
      FOR NO KEY UPDATE OF p SKIP LOCKED FOR UPDATE OF s SKIP LOCKED
    ), forgotten AS (
      UPDATE payouts SET ${textOf(withoutRecipient)} WHERE id IN (SELECT id FROM due)
    )
    DELETE FROM sealed_recipients WHERE payout_id IN (SELECT id FROM due) RETURNING payout_id`,
}

const eraseOldRegistrations: Statement = {
  name: 'retention-registrations',
  text: `DELETE FROM bank_recipients WHERE id IN (
      SELECT b.id FROM ${dueRegistrations('$1', '$3')} ORDER BY b.id LIMIT $2 FOR UPDATE SKIP LOCKED
    ) RETURNING id`,
}

const eraseOldEvents: Statement = {
  name: 'retention-bank-events',
  text: `DELETE FROM bank_events WHERE id IN (
      SELECT id FROM bank_events WHERE id < $3::uuid AND received_at < $1 AND ${isErasableEvent}
      ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
    ) RETURNING id`,
}
