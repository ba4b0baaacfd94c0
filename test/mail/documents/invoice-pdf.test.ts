// An invoice as a PDF: the same bytes every time, extractable text, and nothing cut off.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { invoicePdf } from '../../../mail/documents/invoice-pdf'
import { fontFile, printable } from '../../../mail/documents/pdf/sheet'
import { aFullInvoice, aLine, anInvoice } from '../../support/mail/an-invoice'
import { readPdf } from './read-pdf'

const vat = { number: 'GB123456789', basisPoints: 2000 }

describe('the bytes of the PDF', () => {
  test('are the same for the same invoice, in this process and in another one', async () => {
    const [one, other] = [await invoicePdf(anInvoice()), await invoicePdf(anInvoice())]

    expect(other.equals(one)).toBe(true)
    expect(await hashElsewhere()).toBe(createHash('sha256').update(one).digest('hex'))
  })

  test('differ for another invoice', async () => {
    const one = await invoicePdf(anInvoice())

    expect((await invoicePdf(anInvoice({ number: 'INV-2026-000124' }))).equals(one)).toBe(false)
  })

  test('are a tagged English document with the invoice number in its title, small enough for an email', async () => {
    const bytes = await invoicePdf(anInvoice())
    const { all } = readPdf(bytes)

    expect(all).toContain('/Marked true')
    expect(all).toContain('/Lang (en-GB)')
    expect(all).toContain('/DisplayDocTitle true')
    expect(all).toContain('<rdf:li xml:lang="x-default">Invoice INV-2026-000123</rdf:li>')
    for (const tag of ['H1', 'H2', 'P', 'Table', 'TR', 'TH', 'TD']) expect(all).toContain(`/S /${tag}`)
    expect(bytes.length).toBeLessThan(60_000)
  })
})

describe('the text of the PDF', () => {
  test('has all data that a finance team needs', async () => {
    const text = await textOf(anInvoice())

    for (const expected of [
      'Invoice',
      'Example Payouts Ltd',
      '1 Example Street',
      'billing@example.test',
      'Company number 01234567',
      'Acme Marketplace Ltd',
      'SW1Y 4JH',
      'INV-2026-000123',
      'October 2026',
      '1 November 2026',
      '15 November 2026',
      '£1,420.06 due on 15 November 2026',
      'Network fees',
      '1,240',
      '£0.0198',
      '£24.55',
      '−£1.09',
      '£1,421.15',
      'No VAT is charged',
      'Sort code 00-00-00',
      'Payment reference INV-2026-000123',
      'Page 1 of 1',
    ]) {
      expect(text).toContain(expected)
    }
  })

  test('has net, VAT and total, when the seller has a VAT number', async () => {
    const text = await textOf(anInvoice({ seller: { ...anInvoice().seller, vat } }))

    expect(text).toContain('VAT number GB123456789')
    expect(text).toContain('Net\n£1,183.38\nVAT at 20%\n£236.68\nTotal\n£1,420.06\nAll prices include VAT')
    expect(text).toContain('Subtotal including VAT\n£1,421.15\nCredits including VAT\n−£1.09')
    expect(text).not.toContain('No VAT')
  })

  test('has the characters of this invoice, even if an earlier one used the same glyphs for others', async () => {
    const named = (name: string) => textOf(anInvoice({ buyer: { name, addressLines: [] } }))

    const [modifierLetter, quotationMark] = [await named('O\u02bcNeill'), await named('O\u2019Neill')]

    expect(modifierLetter).toContain('O\u02bcNeill')
    expect(quotationMark).toContain('O\u2019Neill')
  })

  test('names the void invoice that it replaces', async () => {
    expect(await textOf(anInvoice({ replaces: 'INV-2026-000120' }))).toContain('Replaces\nINV-2026-000120')
    expect(await textOf(anInvoice())).not.toContain('Replaces')
  })

  test('of a paid invoice has the payment date and a PAID stamp, and no payment request', async () => {
    const text = await textOf(anInvoice({ status: 'paid', paidOn: '2026-11-10' }))

    expect(text).toContain('£1,420.06 paid on 10 November 2026')
    expect(text).toContain('PAID')
    expect(text).not.toContain('How to pay')
  })

  test('of a void invoice has the date, reason and a VOID stamp, and no payment request', async () => {
    const voided = { status: 'void', voidedOn: '2026-11-12', voidReason: 'wrong address' } as const
    const text = await textOf(anInvoice(voided))

    expect(text).toContain('No payment is due.\nReason: wrong address\n')
    expect(text).toContain('This invoice is void. No payment is due.')
    expect(text).toContain('12 November 2026')
    expect(text).toContain('VOID')
    expect(text).not.toContain('How to pay')
  })

  test('shows a zero total and the credit carried forward when credit exceeds the charges', async () => {
    const lines = [aLine(), aLine({ kind: 'credit', unitAmountMicropounds: 5_000_000n, amountPence: 500n })]
    const text = await textOf(anInvoice({ lines }))

    expect(text).toContain('No payment is due')
    expect(text).toContain('£3.91 of credit is carried forward to your next invoice')
    expect(text).not.toContain('How to pay')
    expect(await textOf(anInvoice({ lines, status: 'void', voidedOn: '2026-11-12' }))).not.toContain('carried forward')
  })

  test('has each correction’s amount and reason under the credit, over several pages if there are many', async () => {
    const two = [
      { amountPence: 1_250n, reason: 'charged twice' },
      { amountPence: 109n, reason: 'late delivery' },
    ]
    const many = Array.from({ length: 90 }, (_, index) => ({ amountPence: 100n, reason: `reason number ${index};` }))

    const text = await textOf(anInvoice({ corrections: two }))
    const { text: long, pages, byPage } = readPdf(await invoicePdf(anInvoice({ corrections: many })))

    expect(text).toContain('−£1.09\nOf this, £12.50: charged twice\nOf this, £1.09: late delivery\n')
    for (let index = 0; index < many.length; index++) expect(long).toContain(`reason number ${index};`)
    expect(pages).toBeGreaterThan(1)
    expect(byPage.at(-1)).toContain('Payment reference')
    expect(await textOf(anInvoice())).not.toContain('Of this')
  })

  test('fits every kind of line, carried credit, VAT and a replaced invoice on one page', async () => {
    const { text, pages } = readPdf(await invoicePdf(aFullInvoice()))

    expect(text).toContain('Credit carried forward from earlier invoices')
    expect(text).toContain('VAT at 20%')
    expect(text).toContain('Payment reference')
    expect(pages).toBe(1)
  })
})

describe('unusual content', () => {
  test('European letters are printed, and other characters appear as boxes with the original text behind them', async () => {
    const buyer = { name: 'Łukasz Żółć Ltd', addressLines: ['Ελληνικά', 'Київ', '株式会社'] }
    const { text, all } = readPdf(await invoicePdf(anInvoice({ buyer })))

    expect(text).toContain('Łukasz Żółć Ltd')
    expect(text).toContain('Ελληνικά')
    expect(text).toContain('Київ')
    expect(text).toContain('□□□□')
    expect(all).toContain(`/ActualText (${utf16('株式会社')})`)
  })

  test('every printable character has a glyph in both weights', () => {
    const { openSync }: FontReader = require('fontkit')
    const fonts = [openSync(fontFile('Regular')), openSync(fontFile('SemiBold'))]
    const codes = Array.from({ length: 0xd7ff }, (_, code) => code).filter((code) => {
      const letter = String.fromCodePoint(code)
      return printable(letter) === letter
    })

    expect(codes.length).toBeGreaterThan(1200)
    expect(codes.filter((code) => fonts.some((font) => !font.hasGlyphForCodePoint(code)))).toEqual([])
  })

  test('a missing address and a very long name do not break the layout', async () => {
    const { text, pages } = readPdf(await invoicePdf(anInvoice({ buyer: { name: 'x'.repeat(300), addressLines: [] } })))

    expect(text.replaceAll('\n', '')).toContain('x'.repeat(300))
    expect(pages).toBe(1)
  })

  test('a line break in a name is printed as a space, and the largest amounts fit on their line', async () => {
    const line = aLine({ kind: 'credit', unitAmountMicropounds: 1_234_567_890_000n, amountPence: 123_456_789n })
    const text = await textOf(anInvoice({ lines: [line], buyer: { name: 'Acme\r\nLtd', addressLines: [] } }))

    expect(text).toContain('Acme Ltd')
    expect(text).toContain('−£1,234,567.89')
  })

  test.each([0, 1, 12, 13, 14, 15, 16, 17, 18, 19, 20, 40, 200])(
    '%i lines are all printed, the totals stay together with the payment details, and every page has its number',
    async (count) => {
      const lines = Array.from({ length: count }, (_, index) => aLine({ description: `Line number ${index};` }))
      const { text, pages, byPage } = readPdf(await invoicePdf(anInvoice({ lines })))

      for (let index = 0; index < count; index++) expect(text).toContain(`Line number ${index};`)
      for (let number = 1; number <= pages; number++) expect(byPage[number - 1]).toContain(`Page ${number} of ${pages}`)
      expect(byPage.at(-1)).toContain('Total')
      expect(byPage.at(-1)).toContain('No VAT is charged')
      expect(byPage.at(-1)).toContain(count > 0 ? 'Payment reference' : 'No payment is due')
    },
  )
})

interface FontReader {
  readonly openSync: (file: string) => { hasGlyphForCodePoint(code: number): boolean }
}

async function textOf(document: Parameters<typeof invoicePdf>[0]): Promise<string> {
  return readPdf(await invoicePdf(document)).text
}

/** The hash of the same invoice, rendered by a separate process. */
async function hashElsewhere(): Promise<string> {
  const program = join(__dirname, 'render-elsewhere.cjs')
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: { TZ: 'Pacific/Auckland', LANG: 'de' },
  })
  return stdout.trim()
}

function utf16(text: string): string {
  const bytes = Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()])
  return bytes.toString('latin1')
}
