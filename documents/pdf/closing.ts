// The lower part of an invoice: what the lines add up to, the VAT in it, and how to pay. It stays together on one page.
import { type InvoiceDocument, vatIn } from '../../domain/invoice-document'
import { negative, perCent, pounds } from '../words'
import { colours, page, type Sheet, type Style, type Tag } from './sheet'

const sumsX = 318
const amountX = 440
const body: Style = { size: 9.5 }
const soft: Style = { size: 9.5, colour: colours.soft }
const strong: Style = { size: 12, weight: 'SemiBold' }
const lineHeight = 18

export function writeClosing(sheet: Sheet, document: InvoiceDocument, after: number): void {
  const payment = paymentOf(document)
  const height = sumsOf(document).length * lineHeight + 110 + payment.length * lineHeight
  const fits = after + height <= page.bottom
  if (!fits) sheet.doc.addPage()
  const y = writeSums(sheet, document, (fits ? after : page.top) + 10)
  writePayment(sheet, payment, y + 30)
}

function writeSums(sheet: Sheet, document: InvoiceDocument, top: number): number {
  const section = sectionOf(sheet)
  const { carriedPence } = document
  let y = top
  for (const [name, value] of sumsOf(document)) y = writeSum(sheet, section, y, [name, value], body)
  sheet.decorate(() => sheet.rule(y + 1, sumsX, page.right, colours.ink, 0.9))
  y = writeSum(sheet, section, y + 9, ['Total', pounds(document.totalPence)], strong) + 2
  const width = page.right - sumsX
  y = sheet.write(section, 'P', vatWords(document), { x: sumsX, y, width }, { ...soft, align: 'right' })
  if (carriedPence === 0n) return y
  const carried = `${pounds(carriedPence)} of credit is carried forward to your next invoice`
  return sheet.write(
    section,
    'P',
    carried,
    { x: page.left, y, width: page.right - page.left },
    { ...soft, align: 'right' },
  )
}

function sumsOf({ chargedPence, creditedPence }: InvoiceDocument): [string, string][] {
  if (creditedPence === 0n) return []
  return [
    ['Subtotal', pounds(chargedPence)],
    ['Credits', negative(pounds(creditedPence))],
  ]
}

function writeSum(sheet: Sheet, section: Tag, y: number, [name, value]: [string, string], style: Style): number {
  sheet.write(section, 'P', name, { x: sumsX, y, width: amountX - sumsX }, style)
  return (
    sheet.write(section, 'P', value, { x: amountX, y, width: page.right - amountX }, { ...style, align: 'right' }) + 4
  )
}

function vatWords({ seller: { vat }, totalPence }: InvoiceDocument): string {
  if (!vat) return 'No VAT is charged'
  return `Includes VAT at ${perCent(vat.basisPoints)} of ${pounds(vatIn(totalPence, vat))}`
}

/** Label and text; nobody is asked to pay what is paid, void or nothing. */
function paymentOf({ status, totalPence, seller, number }: InvoiceDocument): [string, string][] {
  if (status !== 'open' || totalPence === 0n) return []
  return [
    ...seller.paymentLines.map((text): [string, string] => ['', text]),
    ['Payment reference', number],
    ['Amount', pounds(totalPence)],
  ]
}

function writePayment(sheet: Sheet, payment: readonly [string, string][], top: number): void {
  if (payment.length === 0) return
  const section = sectionOf(sheet)
  const width = page.right - page.left
  let y =
    sheet.write(section, 'H2', 'How to pay', { x: page.left, y: top, width }, { size: 11, weight: 'SemiBold' }) + 4
  for (const [name, text] of payment) {
    const words = name === '' ? text : `${name} ${text}`
    y =
      sheet.write(
        section,
        'P',
        words,
        { x: page.left, y, width },
        name === '' ? body : { ...body, weight: 'SemiBold' },
      ) + 2
  }
}

function sectionOf({ doc, root }: Sheet): Tag {
  const section = doc.struct('Sect')
  root.add(section)
  return section
}
