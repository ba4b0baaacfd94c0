// Marks added to every page once the page count is known: the footer, and VOID or PAID.
import type { InvoiceDocument } from '../../../domain/invoices/document'
import { colours, page, type Sheet, type Style } from './sheet'

const footY = 796
const foot: Style = { size: 8, colour: colours.soft }

export function markPages(sheet: Sheet, document: InvoiceDocument): void {
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

/** The free area between the title and the seller. */
function stamp({ doc, plain }: Sheet, status: 'paid' | 'void'): void {
  const [word, colour] = status === 'paid' ? ['PAID', colours.paid] : ['VOID', colours.void]
  const [x, y, width, height] = [page.left + 148, page.top + 2, 88, 32]
  doc.save()
  doc.rotate(-8, { origin: [x + width / 2, y + height / 2] })
  doc.roundedRect(x, y, width, height, 5).lineWidth(2).strokeColor(colour).stroke()
  plain(word, { x, y: y + 6, width }, { size: 17, weight: 'SemiBold', colour, align: 'center' })
  doc.restore()
}
