// The lower part of an invoice: totals, VAT and payment instructions. It is kept together on one page.
import { type InvoiceDocument, vatIn } from '../../../domain/invoices/document'
import { negative, perCent, pounds } from '../../formats'
import { colours, page, type Sheet, type Style, type Tag } from './sheet'

const sumsX = 318
const amountX = 440
const body: Style = { size: 9.5 }
const soft: Style = { size: 9.5, colour: colours.soft }
const bold: Style = { size: 9.5, weight: 'SemiBold' }
const strong: Style = { size: 12, weight: 'SemiBold' }

/** Either text, or a label with an amount. */
interface Row {
  readonly tag: 'P' | 'H2'
  readonly cells: readonly Cell[]
  readonly spaceAfter: number
}

interface Cell {
  readonly text: string
  readonly x: number
  readonly width: number
  readonly style: Style
}

const spaceBefore = 14
const spaceAfterRule = 8

/** Writes the totals on the right, below the amounts, and the payment instructions on the left. */
export function writeClosing(sheet: Sheet, document: InvoiceDocument, after: number): void {
  const [sums, total, payment] = [sumsOf(document), totalOf(document), paymentOf(document)]
  const sumsHeight = heightOf(sheet, sums) + spaceAfterRule + heightOf(sheet, total)
  const height = spaceBefore + Math.max(sumsHeight, heightOf(sheet, payment))
  const fits = after + height <= page.bottom
  if (!fits) sheet.doc.addPage()

  const y = (fits ? after : page.top) + spaceBefore
  const section = sectionOf(sheet)
  const ruleY = writeRows(sheet, section, sums, y)
  if (sums.length > 0) sheet.decorate(() => sheet.rule(ruleY, sumsX, page.right, colours.ink, 0.9))
  writeRows(sheet, section, total, ruleY + (sums.length > 0 ? spaceAfterRule : 0))
  if (payment.length > 0) writeRows(sheet, sectionOf(sheet), payment, y)
}

function sumsOf(document: InvoiceDocument): Row[] {
  const { chargedPence, creditedPence, totalPence, seller } = document
  const { vat } = seller
  const including = vat ? ' including VAT' : ''
  const credited = [
    sum(`Subtotal${including}`, pounds(chargedPence)),
    sum(`Credits${including}`, negative(pounds(creditedPence))),
  ]
  return [...(creditedPence > 0n ? credited : []), ...(vat ? vatOf(totalPence, vat) : [])]
}

function vatOf(totalPence: bigint, vat: NonNullable<InvoiceDocument['seller']['vat']>): Row[] {
  const vatPence = vatIn(totalPence, vat)
  return [sum('Net', pounds(totalPence - vatPence)), sum(`VAT at ${perCent(vat.basisPoints)}`, pounds(vatPence))]
}

function totalOf({ totalPence, carriedPence, status, seller }: InvoiceDocument): Row[] {
  const note = (text: string) => row(text, { ...soft, align: 'right' }, page.right - page.left)
  // The credit of a void invoice is available again, so none is carried forward.
  const isCarried = carriedPence > 0n && status !== 'void'
  return [
    sum('Total', pounds(totalPence), strong),
    note(seller.vat ? 'All prices include VAT' : 'No VAT is charged'),
    ...(isCarried ? [note(`${pounds(carriedPence)} of credit is carried forward to your next invoice`)] : []),
  ]
}

/** Paid, void and zero-total invoices have no payment instructions. */
function paymentOf({ status, totalPence, seller, number }: InvoiceDocument): Row[] {
  if (status !== 'open' || totalPence === 0n) return []
  return [
    { ...row('How to pay', { size: 11, weight: 'SemiBold' }), tag: 'H2', spaceAfter: 3 },
    ...seller.paymentLines.map((text) => row(text, body)),
    row(`Payment reference ${number}`, bold),
    row(`Amount ${pounds(totalPence)}`, bold),
  ]
}

function sum(name: string, amount: string, style: Style = body): Row {
  const cells = [
    { text: name, x: sumsX, width: amountX - sumsX, style },
    { text: amount, x: amountX, width: page.right - amountX, style: { ...style, align: 'right' as const } },
  ]
  return { tag: 'P', cells, spaceAfter: 4 }
}

function row(text: string, style: Style, width = sumsX - page.left - 30): Row {
  return { tag: 'P', cells: [{ text, x: page.left, width, style }], spaceAfter: 2 }
}

function heightOf(sheet: Sheet, rows: readonly Row[]): number {
  return rows.reduce((total, { cells, spaceAfter }) => total + tallest(sheet, cells) + spaceAfter, 0)
}

/** Returns the position at which the next part can start. */
function writeRows(sheet: Sheet, section: Tag, rows: readonly Row[], top: number): number {
  let y = top
  for (const { tag, cells, spaceAfter } of rows) {
    for (const { text, x, width, style } of cells) sheet.write(section, tag, text, { x, y, width }, style)
    y += tallest(sheet, cells) + spaceAfter
  }
  return y
}

function tallest(sheet: Sheet, cells: readonly Cell[]): number {
  return Math.max(...cells.map(({ text, width, style }) => sheet.heightOf(text, width, style)))
}

function sectionOf({ doc, root }: Sheet): Tag {
  const section = doc.struct('Sect')
  root.add(section)
  return section
}
