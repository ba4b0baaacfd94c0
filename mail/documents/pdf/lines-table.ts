// The table of an invoice's lines, with its header on each page.
import type { Correction, InvoiceDocument } from '../../../domain/invoices/document'
import type { InvoiceLine } from '../../../domain/invoices/invoice'
import { formatCount, negative, pounds, unitPounds } from '../../formats'
import { type Box, colours, page, type Sheet, type Style, type Tag } from './sheet'

interface Column {
  readonly title: string
  readonly x: number
  readonly width: number
  readonly align: 'left' | 'right'
  readonly text: (line: InvoiceLine) => string
}

const columns: readonly Column[] = [
  { title: 'Description', x: page.left, width: 226, align: 'left', text: ({ description }) => description },
  { title: 'Quantity', x: 286, width: 56, align: 'right', text: ({ quantity }) => formatCount(quantity) },
  {
    title: 'Unit price',
    x: 348,
    width: 92,
    align: 'right',
    text: (line) => signed(line, unitPounds(line.unitAmountMicropounds)),
  },
  {
    title: 'Amount',
    x: 446,
    width: page.right - 446,
    align: 'right',
    text: (line) => signed(line, pounds(line.amountPence)),
  },
]

const headStyle: Style = { size: 8, colour: colours.soft }
const cellStyle: Style = { size: 9.5 }
const padding = 7

/** Returns the position at which the next part can start. */
export function writeLines(sheet: Sheet, { lines, corrections }: InvoiceDocument, top: number): number {
  const { doc, root } = sheet
  const corrected = lines.find(({ kind }) => kind === 'credit')
  const table = doc.struct('Table')
  root.add(table)
  let y = writeHead(sheet, table, top)
  const place = (height: number) => {
    if (y + height <= page.bottom) return
    doc.addPage()
    y = repeatHead(sheet, page.top)
  }
  for (const line of lines) {
    const height = rowHeight(sheet, line)
    place(height)
    writeRow(sheet, table, line, y + padding)
    y += height
    for (const each of line === corrected ? corrections : []) {
      const text = reasonText(each)
      place(sheet.heightOf(text, reasonBox.width, reasonStyle) + padding)
      y = writeReason(sheet, table, text, y) + padding
    }
    sheet.decorate(() => sheet.rule(y, page.left, page.right, colours.line))
  }
  return y
}

const reasonBox = { x: page.left, width: page.right - page.left }
const reasonStyle: Style = { size: 8.5, colour: colours.soft }

/** The amount is in this text and not in the amount column, because the credit line above already includes it. */
function reasonText({ amountPence, reason }: Correction): string {
  return `Of this, ${pounds(amountPence)}: ${reason}`
}

function writeReason(sheet: Sheet, table: Tag, text: string, y: number): number {
  const row = sheet.doc.struct('TR')
  table.add(row)
  return sheet.write(row, 'TD', text, { ...reasonBox, y }, reasonStyle)
}

function writeHead(sheet: Sheet, table: Tag, y: number): number {
  const row = sheet.doc.struct('TR')
  table.add(row)
  for (const column of columns)
    sheet.write(row, 'TH', column.title, boxOf(column, y), { ...headStyle, align: column.align })
  return underline(sheet, y)
}

/** The header on later pages is not tagged, because a screen reader has already read it. */
function repeatHead(sheet: Sheet, y: number): number {
  sheet.decorate(() => {
    for (const column of columns) sheet.plain(column.title, boxOf(column, y), { ...headStyle, align: column.align })
  })
  return underline(sheet, y)
}

function underline(sheet: Sheet, y: number): number {
  const end = y + 16
  sheet.decorate(() => sheet.rule(end, page.left, page.right, colours.ink, 0.9))
  return end
}

function writeRow(sheet: Sheet, table: Tag, line: InvoiceLine, y: number): void {
  const row = sheet.doc.struct('TR')
  table.add(row)
  for (const column of columns) {
    sheet.write(row, 'TD', column.text(line), boxOf(column, y), styleOf(column))
  }
}

function rowHeight(sheet: Sheet, line: InvoiceLine): number {
  const heights = columns.map((column) => sheet.heightOf(column.text(line), column.width, styleOf(column)))
  return Math.max(...heights) + 2 * padding - 2
}

function styleOf({ align }: Column): Style {
  return { ...cellStyle, align }
}

function boxOf({ x, width }: Column, y: number): Box {
  return { x, y, width }
}

/** A credit is stored as a positive amount but shown as negative. */
function signed({ kind }: InvoiceLine, amount: string): string {
  return kind === 'credit' ? negative(amount) : amount
}
