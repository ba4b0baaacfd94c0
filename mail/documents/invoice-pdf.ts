// Writes an invoice as an A4 PDF, tagged and with embedded fonts. The same invoice always produces the same bytes.
import type { InvoiceDocument } from '../../domain/invoices/document'
import { monthInWords } from '../../domain/month'
import { dayInWords, pounds } from '../formats'
import { writeClosing } from './pdf/closing'
import { writeLines } from './pdf/lines-table'
import { colours, createSheet, page, type Sheet, type Style, type Tag } from './pdf/sheet'

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

/** Adds the footer to every page once the page count is known, and a stamp if the invoice is void or paid. */
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

const label: Style = { size: 8, colour: colours.soft }
const body: Style = { size: 9.5 }
const soft: Style = { size: 9.5, colour: colours.soft }
const strong: Style = { size: 9.5, weight: 'SemiBold' }

const factsX = 340
const factsValueX = 424

/**
 * Writes the seller, the buyer, the dates, and one line with the required action. Returns the position at which the next part
 * can start.
 */
function writeHeading(sheet: Sheet, document: InvoiceDocument): number {
  const { root, write } = sheet
  sheet.decorate(() => sheet.doc.rect(0, 0, page.width, 5).fill(colours.accent))
  const width = page.right - page.left
  write(root, 'H1', 'Invoice', { x: page.left, y: page.top, width: 240 }, { size: 26, weight: 'SemiBold' })
  const sellerEnd = writeSeller(sheet, document)
  const partiesY = Math.max(sellerEnd, page.top + 72) + 22
  const buyerEnd = writeBuyer(sheet, document, partiesY)
  const factsEnd = writeFacts(sheet, document, partiesY)

  const y = Math.max(buyerEnd, factsEnd) + 26
  const size = 17
  const end = write(root, 'H2', summary(document), { x: page.left, y, width }, { size, weight: 'SemiBold' })
  const { voidReason } = document
  if (voidReason === null) return end + 18
  return write(root, 'P', `Reason: ${voidReason}`, { x: page.left, y: end + 4, width }, soft) + 18
}

function writeSeller({ doc, root, write }: Sheet, { seller }: InvoiceDocument): number {
  const section = under(doc.struct('Sect'), root)
  const registered = [
    ...(seller.companyNumber ? [`Company number ${seller.companyNumber}`] : []),
    ...(seller.vat ? [`VAT number ${seller.vat.number}`] : []),
  ]
  let y = page.top + 5
  const line = (text: string, style: Style) => {
    y = write(section, 'P', text, { x: factsX, y, width: page.right - factsX }, style)
  }
  line(seller.name, { ...strong, size: 11 })
  for (const text of [...seller.addressLines, seller.email, ...registered]) line(text, soft)
  return y
}

function writeBuyer({ doc, root, write }: Sheet, { buyer }: InvoiceDocument, top: number): number {
  const section = under(doc.struct('Sect'), root)
  const box = (y: number) => ({ x: page.left, y, width: factsX - page.left - 30 })
  let y = write(section, 'P', 'Billed to', box(top), label) + 2
  y = write(section, 'P', buyer.name, box(y), strong)
  for (const text of buyer.addressLines) y = write(section, 'P', text, box(y), soft)
  return y
}

function writeFacts({ doc, root, write }: Sheet, document: InvoiceDocument, top: number): number {
  const list = under(doc.struct('Sect'), root)
  let y = top + 1
  for (const [name, value] of factsOf(document)) {
    write(list, 'P', name, { x: factsX, y, width: factsValueX - factsX - 8 }, soft)
    y = write(list, 'P', value, { x: factsValueX, y, width: page.right - factsValueX }, body) + 3
  }
  return y
}

function factsOf(document: InvoiceDocument): [string, string][] {
  const { number, replaces, period, issuedOn, dueOn, paidOn, voidedOn } = document
  return [
    ['Number', number],
    ...(replaces ? [['Replaces', replaces] satisfies [string, string]] : []),
    ['Period', monthInWords(period)],
    ['Issued', dayInWords(issuedOn)],
    ['Due', dayInWords(dueOn)],
    ...(paidOn ? [['Paid', dayInWords(paidOn)] satisfies [string, string]] : []),
    ...(voidedOn ? [['Void since', dayInWords(voidedOn)] satisfies [string, string]] : []),
  ]
}

function summary({ status, totalPence, dueOn, paidOn }: InvoiceDocument): string {
  if (status === 'void') return 'This invoice is void. No payment is due.'
  if (totalPence === 0n) return 'No payment is due'
  if (status === 'paid') return `${pounds(totalPence)} paid${paidOn ? ` on ${dayInWords(paidOn)}` : ''}`
  return `${pounds(totalPence)} due on ${dayInWords(dueOn)}`
}

function under(tag: Tag, parent: Tag): Tag {
  parent.add(tag)
  return tag
}
