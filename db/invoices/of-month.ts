// The invoices of a month over all partners, for finance.
import type { InvoiceStatus } from '../../domain/invoices/invoice'
import { firstDayOf, type Month } from '../../domain/month'
import type { Queryable } from '../database'

export interface InvoiceOfMonth {
  readonly number: string
  readonly slug: string
  readonly status: InvoiceStatus
  readonly totalPence: bigint
  readonly issuedAt: Date
  readonly dueAt: Date
  readonly paidAt: Date | null
  readonly voidedAt: Date | null
  readonly mailedAt: Date | null
}

/** By number; void ones too. Of one partner where its slug is given. */
export async function listInvoicesOfMonth(
  db: Queryable,
  { period, slug }: { readonly period: Month; readonly slug: string | null },
): Promise<InvoiceOfMonth[]> {
  return db.sql<InvoiceOfMonth>`SELECT number, slug, invoices.status, total_pence, issued_at, due_at,
      paid_at, voided_at, mailed_at
    FROM invoices JOIN partners ON partners.id = partner_id
    WHERE period = ${firstDayOf(period)} AND invoices.status <> 'draft' AND (${slug}::text IS NULL OR slug = ${slug}::text) ORDER BY number`
}
