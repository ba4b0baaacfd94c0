// Writes an invoice as CSV, with one row per invoice line. Each row has the invoice's number, so that files can be
// combined.

import type { Correction, InvoiceDocument } from '../../domain/invoices/document'
import type { InvoiceLine } from '../../domain/invoices/invoice'
import { formatMicropounds, formatPence } from '../../domain/money'
import { type Cell, csv } from './csv'

export function invoiceCsv(document: InvoiceDocument): string {
  const corrected = document.lines.find(({ kind }) => kind === 'credit')
  const reasonsOf = (line: InvoiceLine) => (line === corrected ? document.corrections.map(textOf).join('; ') : '')
  return csv([columns, ...document.lines.map((line) => rowOf(document, line, reasonsOf(line)))])
}

const columns = [
  'invoice_number',
  'status',
  'period',
  'issued_on',
  'due_on',
  'seller',
  'buyer',
  'kind',
  'description',
  'quantity',
  'unit_amount_gbp',
  'amount_gbp',
  'invoice_total_gbp',
  'credit_carried_forward_gbp',
  'credit_reasons',
  'void_reason',
]

function textOf({ amountPence, reason }: Correction): string {
  return `${formatPence(amountPence)}: ${reason}`
}

function rowOf(document: InvoiceDocument, line: InvoiceLine, creditReasons: string): Cell[] {
  const { number, status, period, issuedOn, dueOn, seller, buyer, totalPence, carriedPence } = document
  // Credits are negative here, so that the column adds up.
  const sign = line.kind === 'credit' ? '-' : ''
  return [
    number,
    status,
    period,
    issuedOn,
    dueOn,
    seller.name,
    buyer.name,
    line.kind,
    line.description,
    { number: String(line.quantity) },
    { number: sign + formatMicropounds(line.unitAmountMicropounds) },
    { number: sign + formatPence(line.amountPence) },
    { number: formatPence(totalPence) },
    { number: formatPence(carriedPence) },
    creditReasons,
    document.voidReason ?? '',
  ]
}
