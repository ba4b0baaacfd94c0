// An invoice as PDF: A4, tagged, with embedded fonts, and deterministic: the same invoice always gives the same bytes.
import type { InvoiceDocument } from '../../domain/invoices/document'
import { monthInWords } from '../../domain/month'
import { writeClosing } from './pdf/closing'
import { writeHeading } from './pdf/heading'
import { writeLines } from './pdf/lines-table'
import { markPages } from './pdf/marks'
import { createSheet } from './pdf/sheet'

export function invoicePdf(document: InvoiceDocument): Promise<Buffer> {
  const { number, period, issuedOn, lines } = document
  const subject = `Fees for ${monthInWords(period)}`
  const sheet = createSheet({ title: `Invoice ${number}`, subject, day: issuedOn })
  const afterHeading = writeHeading(sheet, document)
  const afterLines = writeLines(sheet, lines, afterHeading)
  writeClosing(sheet, document, afterLines)
  markPages(sheet, document)
  return sheet.finish()
}
