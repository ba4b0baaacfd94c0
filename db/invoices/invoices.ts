// Reads of a partner's invoices. Drafts are not shown.

import type { InvoiceParties } from '../../domain/invoices/document'
import type { InvoiceLine, InvoiceStatus } from '../../domain/invoices/invoice'
import type { Queryable } from '../database'
import type { Page } from '../payouts/payouts'
import { type Sql, sql } from '../sql'

export interface InvoiceRow {
  readonly id: string
  /** The month it is for, as YYYY-MM. */
  readonly period: string
  readonly number: string | null
  readonly status: InvoiceStatus
  readonly totalPence: bigint
  /** Credit that it leaves for the next one, and credit that it took from those before. */
  readonly carriedPence: bigint
  readonly carriedInPence: bigint
  readonly issuedAt: Date | null
  readonly dueAt: Date | null
  readonly paidAt: Date | null
  readonly voidedAt: Date | null
  readonly voidReason: string | null
  readonly document: InvoiceParties | null
}

export interface InvoiceLineRow extends InvoiceLine {
  readonly invoiceId: string
}

export async function findInvoice(db: Queryable, partnerId: string, id: string): Promise<InvoiceRow | null> {
  const [invoice] =
    await db.sql<InvoiceRow>`SELECT ${columns} FROM invoices WHERE ${isShownTo(partnerId)} AND id = ${id}`
  return invoice ?? null
}

/** Newest month first; `startingAfter` must be the id of an invoice that findInvoice finds for the same partner. */
export async function listInvoices(
  db: Queryable,
  partnerId: string,
  { take, startingAfter }: Page,
): Promise<InvoiceRow[]> {
  // A month may have a void invoice beside the one that replaced it, so the month alone is not an order.
  return db.sql<InvoiceRow>`SELECT ${columns} FROM invoices
    WHERE ${isShownTo(partnerId)} AND (${startingAfter}::uuid IS NULL OR (invoices.period, created_at, id) <
      (SELECT last.period, last.created_at, last.id FROM invoices last WHERE last.id = ${startingAfter}))
    ORDER BY invoices.period DESC, created_at DESC, id DESC LIMIT ${take}`
}

/** Of one invoice, in the order in which it shows them. */
export async function listLinesOf(db: Queryable, invoiceId: string): Promise<InvoiceLine[]> {
  return db.sql<InvoiceLine>`SELECT ${lineColumns} FROM invoice_lines WHERE invoice_id = ${invoiceId} ORDER BY position`
}

/** In the order in which each invoice shows them. */
export async function listInvoiceLines(db: Queryable, invoiceIds: readonly string[]): Promise<InvoiceLineRow[]> {
  return db.sql<InvoiceLineRow>`SELECT invoice_id, ${lineColumns}
    FROM invoice_lines WHERE invoice_id = ANY (${invoiceIds}::uuid[]) ORDER BY invoice_id, position`
}

const columns = sql`id, to_char(period, 'YYYY-MM') AS period, number, status, total_pence, carried_pence, carried_in_pence,
  issued_at, due_at, paid_at, voided_at, void_reason, document`

function isShownTo(partnerId: string): Sql {
  return sql`partner_id = ${partnerId} AND status <> 'draft'`
}

const lineColumns = sql`kind, description, quantity, unit_amount_micropounds, amount_pence`
