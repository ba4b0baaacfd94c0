// The invoices of a month over all partners, for finance.
import type { InvoiceStatus } from '../../domain/invoices/invoice'
import { firstDayOf, type Month } from '../../domain/month'
import type { Queryable, Statement } from '../database'

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
  return db.query<InvoiceOfMonth>(selectOfMonth, [firstDayOf(period), slug])
}

const selectOfMonth: Statement = {
  name: 'invoices-of-month-list',
  text: `SELECT number, slug, invoices.status, total_pence AS "totalPence", issued_at AS "issuedAt", due_at AS "dueAt",
      paid_at AS "paidAt", voided_at AS "voidedAt", mailed_at AS "mailedAt"
    FROM invoices JOIN partners ON partners.id = partner_id
    WHERE period = $1 AND invoices.status <> 'draft' AND ($2::text IS NULL OR slug = $2) ORDER BY number`,
}
