// An issued invoice as it is printed: its row, its lines, and what was frozen at issue.
import { assert } from '../../domain/assert'
import type { InvoiceDocument } from '../../domain/invoices/document'
import { sumLines } from '../../domain/invoices/invoice'
import { londonDayOf } from '../../domain/month'
import type { Queryable } from '../database'
import { findInvoice, type InvoiceRow, listLinesOf } from './invoices'

/** Null when the partner has no such invoice, or it is a draft. */
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
  assert(number !== null && issuedAt !== null && dueAt !== null && document !== null, 'an issued invoice is complete')
  assert(status !== 'draft', 'a draft is not printed')
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
    lines,
    chargedPence,
    creditedPence,
    totalPence,
    carriedPence,
  }
}
