// The status changes of an issued invoice: paid, unpaid again, or void. Nothing else about an issued invoice changes.
import { assert } from '../../domain/assert'
import type { InvoiceStatus } from '../../domain/invoices/invoice'
import { londonDayOf } from '../../domain/month'
import type { Tx } from '../database'
import { sql } from '../sql'

export type Moved =
  | { readonly outcome: 'moved'; readonly partnerId: string; readonly number: string }
  | { readonly outcome: 'not_found' }
  /** The current status does not allow the change. */
  | { readonly outcome: 'wrong_status'; readonly number: string; readonly status: InvoiceStatus }

export type Unpaid =
  | Moved
  /** An invoice for 0.00 always counts as paid. */
  | { readonly outcome: 'nothing_to_pay'; readonly number: string }

export type Voided =
  | Moved
  /** The later invoice `usedBy` has used this invoice's credit and must be voided first. */
  | { readonly outcome: 'credit_used'; readonly number: string; readonly usedBy: string }

export type Paid =
  | Moved
  /** The payment date is before the issue date. */
  | { readonly outcome: 'before_issue'; readonly number: string; readonly issuedOn: string }

/**
 * Voids an unpaid invoice and releases its charges, so that the next invoice run for its month bills them again. A paid
 * invoice above 0.00 must be marked as unpaid first.
 */
export async function voidInvoice(
  tx: Tx,
  { number, reason, at }: { readonly number: string; readonly reason: string; readonly at: Date },
): Promise<Voided> {
  const invoice = await lockInvoice(tx, number)
  if (invoice === null) return { outcome: 'not_found' }
  const isUnpaid = invoice.status === 'open' || (invoice.status === 'paid' && invoice.totalPence === 0n)
  if (!isUnpaid) return { outcome: 'wrong_status', number, status: invoice.status }
  if (invoice.potWithoutPence < 0n) {
    assert(invoice.usedBy !== null, 'a later invoice must have used the missing credit')
    return { outcome: 'credit_used', number, usedBy: invoice.usedBy }
  }
  const setVoid = sql`UPDATE invoices SET status = 'void', paid_at = NULL, voided_at = ${at}, void_reason = ${reason}
    WHERE id = ${invoice.id}`
  await tx.run(setVoid, { answerMs: largeAnswerMs })
  return { outcome: 'moved', partnerId: invoice.partnerId, number }
}

export async function markInvoicePaid(
  tx: Tx,
  { number, at }: { readonly number: string; readonly at: Date },
): Promise<Paid> {
  const invoice = await lockInvoice(tx, number)
  if (invoice === null) return { outcome: 'not_found' }
  if (invoice.status !== 'open') return { outcome: 'wrong_status', number, status: invoice.status }
  const issuedOn = londonDayOf(invoice.issuedAt)
  if (londonDayOf(at) < issuedOn) return { outcome: 'before_issue', number, issuedOn }
  await tx.sql`UPDATE invoices SET status = 'paid', paid_at = ${at} WHERE id = ${invoice.id}`
  return { outcome: 'moved', partnerId: invoice.partnerId, number }
}

export async function markInvoiceUnpaid(tx: Tx, { number }: { readonly number: string }): Promise<Unpaid> {
  const invoice = await lockInvoice(tx, number)
  if (invoice === null) return { outcome: 'not_found' }
  if (invoice.status !== 'paid') return { outcome: 'wrong_status', number, status: invoice.status }
  if (invoice.totalPence === 0n) return { outcome: 'nothing_to_pay', number }
  await tx.sql`UPDATE invoices SET status = 'open', paid_at = NULL WHERE id = ${invoice.id}`
  return { outcome: 'moved', partnerId: invoice.partnerId, number }
}

interface LockedInvoice {
  readonly id: string
  readonly partnerId: string
  readonly status: InvoiceStatus
  readonly totalPence: bigint
  readonly issuedAt: Date
  /** The credit that the partner's other invoices carry over, minus the credit that they use. */
  readonly potWithoutPence: bigint
  /** The number of the latest other invoice that has used carried credit. */
  readonly usedBy: string | null
}

/** Locks the partner's billing, then loads the invoice. */
async function lockInvoice(tx: Tx, number: string): Promise<LockedInvoice | null> {
  const [owner] = await tx.sql<{ partnerId: string }>`SELECT partner_id FROM invoices WHERE number = ${number}`
  if (owner === undefined) return null
  await lockBilling(tx, owner.partnerId)
  const [invoice] =
    await tx.sql<LockedInvoice>`SELECT this.id, this.partner_id, this.status, this.total_pence, this.issued_at,
      others.pot AS pot_without_pence, others.last AS used_by
    FROM invoices this, LATERAL (
      SELECT coalesce(sum(carried_pence - carried_in_pence), 0)::bigint AS pot,
        (array_agg(number ORDER BY issued_at DESC, number DESC) FILTER (WHERE carried_in_pence > 0))[1] AS last
      FROM invoices other
      WHERE other.partner_id = this.partner_id AND other.id <> this.id AND other.status IN ('open', 'paid')
    ) AS others
    WHERE this.number = ${number}`
  return invoice ?? null
}

/**
 * Every transaction that issues an invoice or changes its status takes this lock first. Concurrent ones for the same
 * partner wait here, before they lock any row, so they cannot deadlock. The partner's row is not locked, so its
 * settings can change while its charges are being billed.
 */
export async function lockBilling(tx: Tx, partnerId: string): Promise<void> {
  // Makes PostgreSQL plan each statement for its actual values. A plan cached from a small invoice would read whole
  // tables for each row of a large one. The timeout allows for a hundred thousand charges.
  await tx.sql`SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('statement_timeout', ${String(statementMs)}, true)`
  await tx.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`invoice/${partnerId}`}, 0))`, {
    answerMs: largeAnswerMs,
  })
}

const statementMs = 120_000

/**
 * For statements that wait for locks or write all charges of an invoice. Longer than the server's timeout, so that the
 * server's error arrives first.
 */
export const largeAnswerMs = statementMs + 2_000
