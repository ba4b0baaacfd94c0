// Spreadsheets can read the CSV files, no cell runs as a formula, and an invoice's amounts add up.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { parsePence } from '../../../domain/money'
import { csv } from '../../../mail/documents/csv'
import { invoiceCsv } from '../../../mail/documents/invoice-csv'
import { anyCharacter } from '../../support/bank/recipients'
import { aLine, anInvoice } from '../../support/mail/an-invoice'

test('the file begins with the UTF-8 byte order mark, and every line ends in CRLF', () => {
  expect(csv([['name'], ['Ærøskøbing']])).toBe('\uFEFFname\r\nÆrøskøbing\r\n')
})

test.each([
  ['a comma', 'a,b', '"a,b"'],
  ['a quote', 'a"b', '"a""b"'],
  ['a line break', 'a\r\nb', '"a\r\nb"'],
  ['a semicolon', 'a;b', '"a;b"'],
  ['a tab', 'a\tb', '"a\tb"'],
  ['a trailing space', 'a ', '"a "'],
  ['no characters', '', ''],
])('a text with %s stays one cell', (_what, text, expected) => {
  expect(csv([[text, 'x']])).toBe(`\uFEFF${expected},x\r\n`)
})

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  ' =1',
  '＝1',
  '\u200b=1',
  '\u2060 +1',
  '\ufeff@A1',
  "=cmd|' /C calc'!A0",
])('the text %j does not run as a formula', (text) => {
  expect(csv([[text]]).replace(/^\uFEFF"?/, '')).toMatch(/^'/)
})

test('any text is read back as one cell of one row', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter }), { minLength: 2, maxLength: 5 }), (cells) => {
      const [row, ...others] = parsed(csv([cells]))

      expect(others).toEqual([])
      expect(row?.map((cell) => cell.replace(/^'/, ''))).toEqual(cells.map((cell) => cell.replace(/^'/, '')))
    }),
  )
})

describe('an invoice', () => {
  test('has one row per invoice line, and column names', () => {
    const [head, first, ...rest] = parsed(invoiceCsv(anInvoice()))

    expect(head?.join(',')).toBe(
      'invoice_number,status,period,issued_on,due_on,seller,buyer,kind,description,quantity,unit_amount_gbp,amount_gbp,invoice_total_gbp,credit_carried_forward_gbp,credit_reasons,void_reason',
    )
    expect(first?.join(' | ')).toBe(
      'INV-2026-000123 | open | 2026-10 | 2026-11-01 | 2026-11-15 | Example Payouts Ltd | Acme Marketplace Ltd | payout_fees | Payout fees for 1,240 completed payouts | 1 | 1351.60 | 1351.60 | 1420.06 | 0.00 |  | ',
    )
    expect(rest).toHaveLength(4)
    expect(rest[1]?.slice(9, 12)).toEqual(['1240', '0.0198', '24.55'])
  })

  test('adds up to its total, with credits subtracted', () => {
    const rows = parsed(invoiceCsv(anInvoice())).slice(1)
    const sum = rows.reduce((total, row) => total + signedPence(row[11] ?? ''), 0n)

    expect(rows.at(-1)?.[11]).toBe('-1.09')
    expect(sum).toBe(anInvoice().totalPence)
  })

  test('has the reason for each correction next to the credit, and the reason why the invoice is void', () => {
    const corrections = [
      { amountPence: 109n, reason: 'charged twice, case 17' },
      { amountPence: 50n, reason: '=1+1' },
    ]
    const carried = aLine({ kind: 'credit', description: 'Credit carried forward from earlier invoices' })
    const lines = [...anInvoice().lines, carried]
    const rows = parsed(invoiceCsv(anInvoice({ lines, corrections, status: 'void', voidReason: 'wrong address' })))

    expect(rows.slice(1).map((row) => row[14])).toEqual([
      '',
      '',
      '',
      '',
      '1.09: charged twice, case 17; 0.50: =1+1',
      '',
    ])
    expect(rows.slice(1).every((row) => row[15] === 'wrong address')).toBe(true)
  })

  test('has no name that a spreadsheet would run as a formula', () => {
    const buyer = { name: '=HYPERLINK("http://evil.test")', addressLines: [] }
    const row = parsed(invoiceCsv(anInvoice({ buyer, lines: [aLine()] })))[1]

    expect(row?.[6]).toBe(`'=HYPERLINK("http://evil.test")`)
  })
})

function signedPence(text: string): bigint {
  const pence = parsePence(text.replace('-', '')) ?? 0n
  return text.startsWith('-') ? -pence : pence
}

/** A strict RFC 4180 reader, to check the writer independently. */
function parsed(text: string): string[][] {
  const rows: string[][] = []
  let [row, cell, isQuoted]: [string[], string, boolean] = [[], '', false]
  const rest = text.replace(/^\uFEFF/, '')
  for (let at = 0; at < rest.length; at++) {
    const letter = rest[at] ?? ''
    if (isQuoted && letter === '"' && rest[at + 1] === '"') cell += rest[at++]
    else if (letter === '"') isQuoted = !isQuoted
    else if (isQuoted) cell += letter
    else if (letter === ',') [row, cell] = [[...row, cell], '']
    else if (letter === '\r' && rest[at + 1] === '\n') {
      rows.push([...row, cell])
      ;[row, cell] = [[], '']
      at++
    } else cell += letter
  }
  return rows
}
