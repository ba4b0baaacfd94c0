// Invoices with their lines and charges: the tables, and the queries for partners, finance and emails. No query for
// partners or finance returns drafts.

import { assert } from '../../domain/assert'
import type { Correction, InvoiceDocument, InvoiceParties } from '../../domain/invoices/document'
import { correctionPrefix, type InvoiceLine, type InvoiceStatus, sumLines } from '../../domain/invoices/invoice'
import { penceFromMicropounds } from '../../domain/money'
import { firstDayOf, londonDayOf, type Month } from '../../domain/month'
import { bigint, boolean, date, entity, id, idOf, integer, orNull, primary, text, time, withDefault } from '../columns'
import type { Queryable } from '../database'
import type { Page } from '../payouts/payouts'
import { joined, literal, type Sql, sql } from '../sql'

export interface StoredInvoice {
  readonly id: string
  readonly partnerId: string
  /** The first day of the invoice's month in London, as YYYY-MM-DD. */
  readonly period: string
  readonly number: string | null
  readonly status: InvoiceStatus
  readonly totalPence: bigint
  /** The credit that this invoice carries over to the next one. */
  readonly carriedPence: bigint
  /** The credit from earlier invoices that this invoice uses. */
  readonly carriedInPence: bigint
  readonly issuedAt: Date | null
  readonly dueAt: Date | null
  readonly paidAt: Date | null
  readonly voidedAt: Date | null
  readonly mailedAt: Date | null
  /** The printed data that is stored in neither columns nor lines. Null in a draft. */
  readonly document: InvoiceParties | null
  readonly voidReason: string | null
  readonly createdAt: Date
}

export interface StoredInvoiceLine extends InvoiceLine {
  readonly id: string
  readonly invoiceId: string
  readonly position: number
}

interface InvoiceChargeRow {
  readonly invoiceId: string
  readonly chargeId: string
  /** Set by a trigger when the invoice becomes void. */
  readonly voided: boolean
}

interface InvoiceNumberRow {
  readonly year: number
  readonly lastNumber: number
}

export const invoice = entity<StoredInvoice>('Invoice', 'invoices', {
  id,
  partnerId: idOf('Partner'),
  period: date,
  number: orNull(text),
  status: text,
  totalPence: bigint,
  carriedPence: withDefault(bigint, 0),
  carriedInPence: withDefault(bigint, 0),
  issuedAt: orNull(time),
  dueAt: orNull(time),
  paidAt: orNull(time),
  voidedAt: orNull(time),
  mailedAt: orNull(time),
  document: orNull({ type: 'jsonb' }),
  voidReason: orNull(text),
  createdAt: time,
})

export const invoiceLine = entity<StoredInvoiceLine>('InvoiceLine', 'invoice_lines', {
  id,
  invoiceId: idOf('Invoice'),
  position: integer,
  kind: text,
  description: text,
  quantity: integer,
  unitAmountMicropounds: bigint,
  amountPence: bigint,
})

export const invoiceCharge = entity<InvoiceChargeRow>('InvoiceCharge', 'invoice_charges', {
  invoiceId: primary(idOf('Invoice')),
  chargeId: primary(idOf('Charge')),
  voided: { ...boolean, default: false },
})

export const invoiceNumber = entity<InvoiceNumberRow>('InvoiceNumber', 'invoice_numbers', {
  year: primary(integer),
  lastNumber: integer,
})

/** `period` is the month, as YYYY-MM. */
export interface InvoiceRow extends Omit<StoredInvoice, 'partnerId' | 'mailedAt' | 'createdAt'> {
  /** The months that the invoice bills, oldest first. An invoice can bill earlier months late. */
  readonly months: readonly Month[]
  /** The void invoice that this one replaces. */
  readonly replaces: InvoiceName | null
  readonly replacedBy: InvoiceName | null
}

export interface InvoiceName {
  readonly id: string
  readonly number: string
}

export type InvoiceLineRow = Omit<StoredInvoiceLine, 'id' | 'position'>

export async function findInvoice(db: Queryable, partnerId: string, id: string): Promise<InvoiceRow | null> {
  const [invoice] =
    await db.sql<InvoiceRow>`SELECT ${columns} FROM invoices WHERE ${isShownTo(partnerId)} AND id = ${id}`
  return invoice ?? null
}

/** Lists the newest month first. `startingAfter` must be the ID of one of the partner's issued invoices. */
export async function listInvoices(
  db: Queryable,
  partnerId: string,
  { take, startingAfter }: Page,
): Promise<InvoiceRow[]> {
  // A month may have a void invoice and its replacement, so the month alone does not define an order.
  return db.sql<InvoiceRow>`SELECT ${columns} FROM invoices
    WHERE ${isShownTo(partnerId)} AND (${startingAfter}::uuid IS NULL OR (invoices.period, created_at, id) <
      (SELECT last.period, last.created_at, last.id FROM invoices last WHERE last.id = ${startingAfter}))
    ORDER BY invoices.period DESC, created_at DESC, id DESC LIMIT ${take}`
}

/** Lists the lines in the order in which the invoice prints them. */
export async function listLinesOf(db: Queryable, invoiceId: string): Promise<InvoiceLine[]> {
  return db.sql<InvoiceLine>`SELECT ${lineColumns} FROM invoice_lines WHERE invoice_id = ${invoiceId} ORDER BY position`
}

/** Lists the lines of several invoices, grouped by invoice and in print order. */
export async function listInvoiceLines(db: Queryable, invoiceIds: readonly string[]): Promise<InvoiceLineRow[]> {
  return db.sql<InvoiceLineRow>`SELECT invoice_id, ${lineColumns}
    FROM invoice_lines WHERE invoice_id = ANY (${invoiceIds}::uuid[]) ORDER BY invoice_id, position`
}

export interface PartnerInvoice
  extends Pick<StoredInvoice, 'status' | 'totalPence' | 'paidAt' | 'voidedAt' | 'mailedAt'> {
  readonly period: Month
  readonly number: string
  readonly slug: string
  readonly issuedAt: Date
  readonly dueAt: Date
  /** Whole days since the due date in London. Null unless the invoice is open and overdue. */
  readonly overdueDays: number | null
}

interface InvoiceFilters {
  readonly period?: Month | undefined
  readonly slug?: string | undefined
  readonly only?: 'open' | 'overdue' | undefined
  readonly now: Date
}

/** Returns the newest `take` matching invoices, including void ones, sorted by number. */
export async function searchInvoices(
  db: Queryable,
  { period, slug, only, now }: InvoiceFilters,
  take: number,
): Promise<PartnerInvoice[]> {
  const today = londonDayOf(now)
  const conditions = [sql`invoices.status <> 'draft'`]
  if (period !== undefined) conditions.push(sql`period = ${firstDayOf(period)}`)
  if (slug !== undefined) conditions.push(sql`slug = ${slug}`)
  if (only !== undefined) conditions.push(sql`invoices.status = 'open'`)
  if (only === 'overdue') conditions.push(sql`${dueDay} < ${today}::date`)
  const statement = sql`SELECT to_char(period, 'YYYY-MM') AS period, number, slug, invoices.status, total_pence, issued_at, due_at,
      paid_at, voided_at, mailed_at,
      CASE WHEN invoices.status = 'open' AND ${dueDay} < ${today}::date THEN ${today}::date - ${dueDay} END AS overdue_days
    FROM invoices JOIN partners ON partners.id = partner_id WHERE ${joined(conditions, ' AND ')}
    ORDER BY number DESC LIMIT ${literal(take)}`
  return (await db.run<PartnerInvoice>(statement, { plan: 'each time' })).toReversed()
}

const dueDay = sql`(due_at AT TIME ZONE 'Europe/London')::date`

export interface InvoiceToMail extends Pick<StoredInvoice, 'id' | 'partnerId' | 'status' | 'mailedAt'> {
  /** The billing email, or else the contact email. Null if the partner has neither. */
  readonly email: string | null
}

export async function findInvoiceToMail(db: Queryable, id: string): Promise<InvoiceToMail | null> {
  const [invoice] = await db.sql<InvoiceToMail>`SELECT invoices.id, partner_id, invoices.status, mailed_at,
      coalesce(billing_email, contact_email) AS email
    FROM invoices JOIN partners ON partners.id = partner_id WHERE invoices.id = ${id}`
  return invoice ?? null
}

/** Only the first call records its time. */
export async function markInvoiceMailed(db: Queryable, id: string, at: Date): Promise<void> {
  await db.sql`UPDATE invoices SET mailed_at = ${at} WHERE id = ${id} AND mailed_at IS NULL`
}

/** Returns null if the partner has no such invoice or it is a draft. */
export async function findInvoiceDocument(
  db: Queryable,
  partnerId: string,
  id: string,
): Promise<InvoiceDocument | null> {
  const invoice = await findInvoice(db, partnerId, id)
  return invoice === null ? null : documentOf(db, invoice)
}

async function documentOf(db: Queryable, invoice: InvoiceRow): Promise<InvoiceDocument> {
  const { number, status, issuedAt, dueAt, document, period, totalPence, carriedPence } = invoice
  assert(
    number !== null && issuedAt !== null && dueAt !== null && document !== null,
    'an issued invoice must be complete',
  )
  assert(status !== 'draft', 'a draft cannot be printed')
  const lines = await listLinesOf(db, invoice.id)
  const { chargedPence, creditedPence } = sumLines(lines)
  return {
    ...document,
    number,
    status,
    period,
    issuedOn: londonDayOf(issuedAt),
    dueOn: londonDayOf(dueAt),
    paidOn: invoice.paidAt && londonDayOf(invoice.paidAt),
    voidedOn: invoice.voidedAt && londonDayOf(invoice.voidedAt),
    voidReason: invoice.voidReason,
    lines,
    corrections: creditedPence > 0n ? await listCorrections(db, invoice.id) : [],
    chargedPence,
    creditedPence,
    totalPence,
    carriedPence,
  }
}

/**
 * Lists the corrections oldest first. Starts from the partner's few corrections, because an invoice can have a hundred
 * thousand charges.
 */
async function listCorrections(db: Queryable, invoiceId: string): Promise<Correction[]> {
  const rows = await db.sql<{
    amountMicropounds: bigint
    reason: string | null
  }>`SELECT amount_micropounds, description AS reason
    FROM charges JOIN invoice_charges taken ON taken.charge_id = charges.id AND taken.invoice_id = ${invoiceId}
    WHERE partner_id = (SELECT partner_id FROM invoices WHERE id = ${invoiceId}) AND kind = 'credit'
      AND starts_with(cause_ref, ${correctionPrefix})
    ORDER BY created_at, charges.id`
  return rows.map(({ amountMicropounds, reason }) => ({
    amountPence: penceFromMicropounds(amountMicropounds),
    reason: reason ?? 'no reason given',
  }))
}

const columns = sql`id, to_char(period, 'YYYY-MM') AS period, number, status, total_pence, carried_pence, carried_in_pence,
  issued_at, due_at, paid_at, voided_at, void_reason, document, ${billedMonths()} AS months,
  ${otherOfMonth(sql`other.number = invoices.document->>'replaces'`)} AS replaces,
  ${otherOfMonth(sql`other.document->>'replaces' = invoices.number`)} AS replaced_by`

/** Reads only the monthly account charges, because an invoice can have a hundred thousand others. */
function billedMonths(): Sql {
  return sql`ARRAY(SELECT to_char(invoices.period, 'YYYY-MM') UNION SELECT to_char(charges.month, 'YYYY-MM') FROM charges
    JOIN invoice_charges taken ON taken.charge_id = charges.id AND taken.invoice_id = invoices.id
    WHERE charges.partner_id = invoices.partner_id AND charges.kind = 'monthly_account' ORDER BY 1)`
}

/** An invoice and its replacement always belong to the same partner and month. */
function otherOfMonth(condition: Sql): Sql {
  return sql`(SELECT json_build_object('id', other.id, 'number', other.number) FROM invoices other
    WHERE other.partner_id = invoices.partner_id AND other.period = invoices.period AND other.status <> 'draft'
      AND ${condition} LIMIT 1)`
}

function isShownTo(partnerId: string): Sql {
  return sql`partner_id = ${partnerId} AND status <> 'draft'`
}

const lineColumns = sql`kind, description, quantity, unit_amount_micropounds, amount_pence`
