// Erases data after its retention period: the bank details of closed payouts, and handled bank events.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Tx } from '../database'
import type { Keyring } from '../keyring'
import { deleteBankRecipients } from '../payouts/recipients/at-bank'
import { openRecipient, wipeRecipient, withoutRecipient } from '../payouts/recipients/sealed'
import { type Sql, sql } from '../sql'

export interface RetentionDays {
  /** Counts from the day on which the payout was closed. */
  readonly recipientDays: number
  /** Counts from the day on which the event was received. */
  readonly bankEventDays: number
}

export interface ErasureBatch {
  readonly before: Date
  readonly limit: number
}

/**
 * Returns the number of erased rows. Skips open payouts, because they may still have to be sent. Erases an account's
 * registration at the bank by its own age, even if the account was paid since. The next payout then registers it
 * again.
 */
export async function eraseRecipients(db: Queryable, { before, limit }: ErasureBatch): Promise<number> {
  // Skips rows that another process is erasing, so that two processes share the work.
  const recipients = await db.sql`WITH due AS (
      SELECT p.id FROM ${dueRecipients(before)} ORDER BY s.payout_id LIMIT ${limit}
      FOR NO KEY UPDATE OF p SKIP LOCKED FOR UPDATE OF s SKIP LOCKED
    ), forgotten AS (
      UPDATE payouts SET ${withoutRecipient} WHERE id IN (SELECT id FROM due)
    )
    DELETE FROM sealed_recipients WHERE payout_id IN (SELECT id FROM due) RETURNING payout_id`
  const rest = limit - recipients.length
  return recipients.length + (rest > 0 ? await eraseRegistrations(db, { before, limit: rest }) : 0)
}

async function eraseRegistrations(db: Queryable, { before, limit }: ErasureBatch): Promise<number> {
  const registrations = await db.sql`DELETE FROM bank_recipients WHERE id IN (
      SELECT b.id FROM ${dueRegistrations(before)} ORDER BY b.id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) RETURNING id`
  return registrations.length
}

/**
 * Erases the recipient of one payout and returns its partner. Returns null if the payout is not closed, or its
 * recipient is already erased.
 */
export async function shredRecipient(tx: Tx, keyring: Keyring, payoutId: string): Promise<Shredded | null> {
  const [row] =
    await tx.sql<Shredded>`SELECT p.partner_id, p.environment, p.status FROM payouts p JOIN sealed_recipients s ON s.payout_id = p.id
    WHERE p.id = ${payoutId} AND p.closed_at IS NOT NULL FOR NO KEY UPDATE OF p FOR UPDATE OF s`
  if (row === undefined) return null
  // Details that can no longer be opened are erased too. Their registration at the bank is erased later, by its age.
  const details = await openRecipient(tx, keyring, payoutId).catch(() => null)
  if (details !== null) await deleteBankRecipients(tx, keyring, details)
  await wipeRecipient(tx, payoutId)
  return row
}

interface Shredded {
  readonly partnerId: string
  readonly environment: Environment
  readonly status: PayoutStatus
}

/** Returns the number of erased events. Keeps a quarantined event, however old, until an operator has handled it. */
export async function eraseBankEvents(db: Queryable, { before, limit }: ErasureBatch): Promise<number> {
  const events = await db.sql`DELETE FROM bank_events WHERE id IN (
      SELECT id FROM ${dueEvents(before)} ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) RETURNING id`
  return events.length
}

/**
 * The tables and conditions of the rows that are due. Metrics use them too. IDs start with their time, so indexes
 * skip young rows.
 */
export function dueRecipients(before: Date): Sql {
  return sql`sealed_recipients s JOIN payouts p ON p.id = s.payout_id
    WHERE s.payout_id < ${firstIdAt(before)}::uuid AND p.closed_at < ${before}`
}

export function dueRegistrations(before: Date): Sql {
  return sql`bank_recipients b WHERE b.id < ${firstIdAt(before)}::uuid AND b.created_at < ${before}`
}

/** Keeps an event that was not handled, because its outcome is null. */
export function dueEvents(before: Date): Sql {
  return sql`bank_events WHERE id < ${firstIdAt(before)}::uuid AND received_at < ${before}
    AND (attended_at IS NOT NULL OR outcome NOT IN ('quarantined', 'unknown_payout'))`
}

function firstIdAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
