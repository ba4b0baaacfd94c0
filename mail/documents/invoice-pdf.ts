// Writes an invoice as an A4 PDF, tagged and with embedded fonts. The same invoice always gives the same bytes.
import type { InvoiceDocument } from '../../domain/invoices/document'
import { monthInWords } from '../../domain/month'
import { writeClosing } from './pdf/closing'
import { writeHeading } from './pdf/heading'
import { writeLines } from './pdf/lines-table'
import { colours, createSheet, page, type Sheet, type Style } from './pdf/sheet'

export async function invoicePdf(document: InvoiceDocument): Promise<Buffer> {
  const { number, period, issuedOn } = document
  const subject = `Fees for ${monthInWords(period)}`
  const sheet = await createSheet({ title: `Invoice ${number}`, subject, day: issuedOn })
  const afterHeading = writeHeading(sheet, document)
  const afterLines = writeLines(sheet, document, afterHeading)
  writeClosing(sheet, document, afterLines)
  markPages(sheet, document)
  return sheet.finish()
}

const footY = 796
const foot: Style = { size: 8, colour: colours.soft }

/** Adds the footer and the stamp VOID or PAID to every page, once the page count is known. */
function markPages(sheet: Sheet, document: InvoiceDocument): void {
  const { start, count } = sheet.doc.bufferedPageRange()
  for (let index = 0; index < count; index++) {
    sheet.doc.switchToPage(start + index)
    sheet.decorate(() => {
      sheet.rule(footY - 8, page.left, page.right, colours.line)
      sheet.plain(
        `${document.seller.name} · ${document.number}`.slice(0, 90),
        { x: page.left, y: footY, width: 380 },
        foot,
      )
      const numbers = `Page ${index + 1} of ${count}`
      sheet.plain(numbers, { x: page.right - 100, y: footY, width: 100 }, { ...foot, align: 'right' })
      if (document.status !== 'open') stamp(sheet, document.status)
    })
  }
}

/** Stamps the free area between the title and the seller. */
function stamp({ doc, plain }: Sheet, status: 'paid' | 'void'): void {
  const [word, colour] = status === 'paid' ? ['PAID', colours.paid] : ['VOID', colours.void]
  const [x, y, width, height] = [page.left + 148, page.top + 2, 88, 32]
  doc.save()
  doc.rotate(-8, { origin: [x + width / 2, y + height / 2] })
  doc.roundedRect(x, y, width, height, 5).lineWidth(2).strokeColor(colour).stroke()
  plain(word, { x, y: y + 6, width }, { size: 17, weight: 'SemiBold', colour, align: 'center' })
  doc.restore()
}
