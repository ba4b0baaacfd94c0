// Erases data after its retention period: bank details and notes of closed payouts, and handled bank events.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Tx } from '../database'
import type { Keyring } from '../keyring'
import { erasePayoutNotes } from '../payouts/cases/notes'
import { deleteBankRecipients } from '../payouts/recipients/at-bank'
import { hasRecipient, openRecipient, wipeRecipient, withoutRecipient } from '../payouts/recipients/sealed'
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
 * Returns the number of erased rows. Skips open payouts, because they may still have to be sent. Erases the record of
 * an account's registration at the bank when the record is old enough, even if the account has been paid since. The
 * next payout registers the account again. Erases a note only if the note itself is old enough, because users also add
 * notes to old payouts.
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
  let erased = recipients.length
  for (const erase of [eraseRegistrations, eraseNotes]) {
    if (erased < limit) erased += await erase(db, { before, limit: limit - erased })
  }
  return erased
}

async function eraseRegistrations(db: Queryable, { before, limit }: ErasureBatch): Promise<number> {
  const registrations = await db.sql`DELETE FROM bank_recipients WHERE id IN (
      SELECT b.id FROM ${dueRegistrations(before)} ORDER BY b.id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) RETURNING id`
  return registrations.length
}

async function eraseNotes(db: Queryable, { before, limit }: ErasureBatch): Promise<number> {
  const notes = await db.sql`DELETE FROM payout_notes WHERE id IN (
      SELECT n.id FROM ${dueNotes(before)} ORDER BY n.id LIMIT ${limit} FOR UPDATE OF n SKIP LOCKED
    ) RETURNING id`
  return notes.length
}

/**
 * Erases one payout's recipient and notes and returns its partner. Returns null if the payout is not closed, or if both
 * are already erased.
 */
export async function shredRecipient(tx: Tx, keyring: Keyring, payoutId: string): Promise<Shredded | null> {
  const [row] = await tx.sql<Shredded>`SELECT partner_id, environment, status FROM payouts
    WHERE id = ${payoutId} AND closed_at IS NOT NULL FOR NO KEY UPDATE`
  if (row === undefined) return null
  const notes = await erasePayoutNotes(tx, payoutId)
  if (!(await hasRecipient(tx, payoutId))) return notes > 0 ? row : null
  // Details that cannot be decrypted are erased as well. The record of their registration at the bank is erased later,
  // by its age.
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
 * The tables and conditions that select the rows to erase, shared with the metrics. IDs start with their creation time,
 * so the condition on the ID lets the index skip young rows.
 */
export function dueRecipients(before: Date): Sql {
  return sql`sealed_recipients s JOIN payouts p ON p.id = s.payout_id
    WHERE s.payout_id < ${firstIdAt(before)}::uuid AND p.closed_at < ${before}`
}

export function dueRegistrations(before: Date): Sql {
  return sql`bank_recipients b WHERE b.id < ${firstIdAt(before)}::uuid AND b.created_at < ${before}`
}

export function dueNotes(before: Date): Sql {
  return sql`payout_notes n JOIN payouts p ON p.id = n.payout_id
    WHERE n.id < ${firstIdAt(before)}::uuid AND n.at < ${before}
      AND (p.closed_at < ${before} OR p.released_at < ${before})`
}

/** Excludes an unhandled event, because the comparison with its null outcome is not true. */
export function dueEvents(before: Date): Sql {
  return sql`bank_events WHERE id < ${firstIdAt(before)}::uuid AND received_at < ${before}
    AND (attended_at IS NOT NULL OR outcome NOT IN ('quarantined', 'unknown_payout'))`
}

function firstIdAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
