// Reads of a partner's invoices; a draft is nobody's business yet but finance's.

import type { InvoiceParties } from '../../domain/invoices/document'
import type { InvoiceLine, InvoiceStatus } from '../../domain/invoices/invoice'
import type { Queryable, Statement } from '../database'
import type { Page } from '../payouts/payouts'
import { sql } from '../sql'

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
  const [invoice] = await db.query<InvoiceRow>(selectOne, [partnerId, id])
  return invoice ?? null
}

/** Newest month first; `startingAfter` must be the id of an invoice that findInvoice finds for the same partner. */
export async function listInvoices(
  db: Queryable,
  partnerId: string,
  { take, startingAfter }: Page,
): Promise<InvoiceRow[]> {
  return db.query<InvoiceRow>(selectList, [partnerId, take, startingAfter])
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

const columns = `id, to_char(period, 'YYYY-MM') AS period, number, status, total_pence AS "totalPence",
  carried_pence AS "carriedPence", carried_in_pence AS "carriedInPence", issued_at AS "issuedAt", due_at AS "dueAt",
  paid_at AS "paidAt", voided_at AS "voidedAt", void_reason AS "voidReason", document`

const isShown = `partner_id = $1 AND status <> 'draft'`

const selectOne: Statement = {
  name: 'invoice',
  text: `SELECT ${columns} FROM invoices WHERE ${isShown} AND id = $2`,
}

// A month may have a void invoice beside the one that replaced it, so the month alone is no order.
const selectList: Statement = {
  name: 'invoices',
  text: `SELECT ${columns} FROM invoices
    WHERE ${isShown} AND ($3::uuid IS NULL OR (invoices.period, created_at, id) <
      (SELECT last.period, last.created_at, last.id FROM invoices last WHERE last.id = $3))
    ORDER BY invoices.period DESC, created_at DESC, id DESC LIMIT $2`,
}

const lineColumns = sql`kind, description, quantity, unit_amount_micropounds,
  amount_pence`
