// Issuing a month's invoice: its content, and the effects of reruns and late charges.
import { describe, expect, test } from '@jest/globals'
import { findInvoice, findInvoiceDocument, listLinesOf } from '../../../db/invoices/invoices'
import { previewInvoice } from '../../../db/invoices/issue'
import { changePrices } from '../../../db/invoices/price-lists'
import { loadInvoiceSoFar } from '../../../db/invoices/usage'
import { findPartnerById, type PartnerRow, updatePartner } from '../../../db/partners/partners'
import { aSeller } from '../../support/api/fixtures'
import {
  aPricedPartner,
  bill,
  billed,
  charge,
  chargeMany,
  credit,
  fee,
  inNovember,
  inOctober,
} from '../../support/db/billing'
import { useDatabase } from '../../support/db/database'
import { anInvoice } from '../../support/mail/an-invoice'

const db = useDatabase()

const soFar = ({ id }: PartnerRow, now: string) =>
  loadInvoiceSoFar(db, { partnerId: id, environment: 'live' }, new Date(now))
const preview = ({ id }: PartnerRow, period: string) => previewInvoice(db, { partnerId: id, period })
const amounts = (lines: readonly { kind: string; amountPence: bigint }[]) =>
  lines.map(({ kind, amountPence }) => [kind, amountPence])

describe('an invoice', () => {
  test('has the month’s charges, the monthly account fee, a number, 14 days to pay and the printed details', async () => {
    const partner = await aPricedPartner(db, {
      liveOpenedAt: new Date('2026-10-10T00:00:00Z'),
      billingAddress: '1 High Street\nLondon',
    })
    await charge(db, partner, { ...fee, at: inOctober })
    await charge(db, partner, { ...fee, at: inOctober })
    await charge(db, partner, { ...fee, at: inNovember })

    const issued = await billed(db, partner, '2026-10')

    expect(issued.number).toMatch(/^INV-2026-\d{6}$/)
    expect(issued.totalPence).toBe(1_718n)
    expect(await findInvoice(db, partner.id, issued.invoiceId)).toMatchObject({
      period: '2026-10',
      status: 'open',
      issuedAt: new Date('2026-11-01T06:00:00Z'),
      dueAt: new Date('2026-11-15T06:00:00Z'),
    })
    expect(await findInvoiceDocument(db, partner.id, issued.invoiceId)).toEqual(
      anInvoice({
        number: issued.number,
        seller: aSeller,
        buyer: { name: 'Acme Ltd', addressLines: ['1 High Street', 'London'] },
        lines: [
          {
            kind: 'payout_fees',
            description: 'Payout fees',
            quantity: 2,
            unitAmountMicropounds: 1_090_000n,
            amountPence: 218n,
          },
          {
            kind: 'monthly_account',
            description: 'Monthly account, October 2026',
            quantity: 1,
            unitAmountMicropounds: 15_000_000n,
            amountPence: 1_500n,
          },
        ],
        chargedPence: 1_718n,
        creditedPence: 0n,
        totalPence: 1_718n,
        carriedPence: 0n,
      }),
    )
  })

  test('keeps its printed details when the partner changes its address and name', async () => {
    const partner = await aPricedPartner(db, { billingAddress: 'Old Street' })
    await charge(db, partner, { ...fee, at: inOctober })
    const { invoiceId } = await billed(db, partner, '2026-10')

    const moved = { name: 'Other Ltd', billingAddress: 'New Street' }
    await db.transaction((tx) => updatePartner(tx, partner.id, moved, new Date(inNovember)))

    const document = await findInvoiceDocument(db, partner.id, invoiceId)
    expect(document?.buyer).toEqual({ name: 'Acme Ltd', addressLines: ['Old Street'] })
  })

  test('is invisible to other partners, and its charges are not billed to them', async () => {
    const [partner, other] = [await aPricedPartner(db), await aPricedPartner(db)]
    await charge(db, partner, { ...fee, at: inOctober })
    const { invoiceId } = await billed(db, partner, '2026-10')

    expect(await findInvoiceDocument(db, other.id, invoiceId)).toBeNull()
    expect(await bill(db, other, '2026-10')).toMatchObject({ outcome: 'nothing' })
  })

  test('is numbered by its year of issue in London time', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: '2027-06-15T12:00:00Z' })

    const issued = await bill(db, partner, '2027-06', '2028-12-31T23:59:59.999Z')

    expect(issued.number).toBe('INV-2028-000001')
  })

  test('is refused for an unfinished month', async () => {
    const partner = await aPricedPartner(db)

    await expect(bill(db, partner, '2027-03', '2027-03-31T22:59:59.999Z')).rejects.toThrow('before it is over')
  })
})

describe('an invoice run', () => {
  test('changes nothing if the month is already billed', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: inOctober })
    const first = await billed(db, partner, '2026-10')
    await charge(db, partner, { ...fee, at: inOctober })

    const again = await bill(db, partner, '2026-10')

    expect(again).toEqual({
      outcome: 'already',
      invoiceId: first.invoiceId,
      number: first.number,
      totalPence: first.totalPence,
    })
    expect(await preview(partner, '2026-10')).toEqual(again)
    expect(await listLinesOf(db, first.invoiceId)).toEqual(first.lines)
  })

  test('marks a month with nothing to bill as billed without creating an invoice', async () => {
    const partner = await aPricedPartner(db)

    expect(await preview(partner, '2026-10')).toEqual({ outcome: 'nothing' })
    expect(await bill(db, partner, '2026-10')).toMatchObject({ outcome: 'nothing', number: null })

    expect((await findPartnerById(db, partner.id))?.billedUntil).toBe('2026-10-01')
    expect(await count('SELECT count(*)::int AS n FROM invoices WHERE partner_id = $1', partner)).toBe(0)
  })

  test('puts a late charge on the next invoice, and usage shows it until then', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: inOctober })
    await billed(db, partner, '2026-10')
    await charge(db, partner, { ...fee, amountMicropounds: 2_000_000n, at: inOctober })
    await charge(db, partner, { ...fee, amountMicropounds: 3_000_000n, at: inNovember })

    const shown = await soFar(partner, inNovember)
    const november = await billed(db, partner, '2026-11')

    expect(amounts(november.lines)).toEqual([['payout_fees', 500n]])
    expect(shown.lines).toEqual(november.lines)
  })

  test('that is still due keeps the previous month’s charges out of the current month’s usage', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: inOctober })

    expect((await soFar(partner, inNovember)).lines).toEqual([])
  })

  test('also bills a skipped month with its account fee, so that the skipped month’s own run finds nothing', async () => {
    const partner = await aPricedPartner(db, { liveOpenedAt: new Date('2026-10-01T00:00:00Z') })
    await charge(db, partner, { ...fee, at: inOctober })

    const previewed = await preview(partner, '2026-11')
    const november = await billed(db, partner, '2026-11')
    const october = await bill(db, partner, '2026-10')

    expect(amounts(november.lines)).toEqual([
      ['payout_fees', 109n],
      ['monthly_account', 3_000n],
    ])
    expect(november.lines[1]?.description).toBe('Monthly account, October 2026 and November 2026')
    expect(previewed).toMatchObject({ outcome: 'new', invoice: { lines: november.lines } })
    expect(october.outcome).toBe('nothing')
    expect((await findPartnerById(db, partner.id))?.billedUntil).toBe('2026-11-01')
  })
})

describe('usage, preview and invoice', () => {
  test('agree on the lines and the total', async () => {
    const partner = await aPricedPartner(db, { liveOpenedAt: new Date('2026-10-20T00:00:00Z') })
    await charge(db, partner, { kind: 'verification', amountMicropounds: 39_000_000n, at: inOctober })
    for (const amountMicropounds of [1_090_000n, 2_490_000n]) {
      await charge(db, partner, { ...fee, amountMicropounds, at: inOctober })
      await charge(db, partner, { kind: 'network_fee', amountMicropounds: 19_800n, at: inOctober })
    }
    await charge(db, partner, { kind: 'exception', amountMicropounds: 1_234_567n, at: inOctober })
    await charge(db, partner, { ...credit(109n), at: inOctober })

    const shown = await soFar(partner, '2026-10-31T23:59:59.999Z')
    const previewed = await preview(partner, '2026-10')
    const issued = await billed(db, partner, '2026-10')

    expect(amounts(issued.lines)).toEqual([
      ['payout_fees', 358n],
      ['monthly_account', 1_500n],
      ['business_verification', 3_900n],
      ['network_fees', 4n],
      ['bank_exceptions', 123n],
      ['credit', 109n],
    ])
    expect(issued.totalPence).toBe(5_776n)
    expect(shown).toMatchObject({ lines: issued.lines, totalPence: issued.totalPence })
    expect(previewed).toEqual({ outcome: 'new', invoice: shown })
  })

  test('never include the sandbox, whose usage has no charges', async () => {
    const partner = await aPricedPartner(db, { liveOpenedAt: new Date('2026-10-01T00:00:00Z') })
    await charge(db, partner, { ...fee, at: inOctober })

    const sandbox = { partnerId: partner.id, environment: 'sandbox' } as const
    expect(await loadInvoiceSoFar(db, sandbox, new Date(inOctober))).toMatchObject({ lines: [], totalPence: 0n })
  })
})

describe('the monthly account fee', () => {
  const opened = (iso: string) => aPricedPartner(db, { liveOpenedAt: new Date(iso) })

  test('is due once for each month in which the live account was open', async () => {
    const partner = await opened('2026-09-30T22:59:59.999Z')
    const months = ['2026-08', '2026-09', '2026-10']

    const outcomes = []
    for (const month of months) outcomes.push((await bill(db, partner, month)).outcome)

    expect(outcomes).toEqual(['nothing', 'issued', 'issued'])
    const stored = `SELECT count(*)::int AS n FROM charges WHERE partner_id = $1 AND kind = 'monthly_account'`
    expect(await count(stored, partner)).toBe(2)
  })

  test('uses the price at the start of the month, so a change affects only later months', async () => {
    const partner = await opened('2026-09-10T00:00:00Z')
    const at = new Date('2026-10-15T00:00:00Z')
    const changes = { monthlyAccountPence: 1_000n }
    await db.transaction((tx) => changePrices(tx, { partnerId: partner.id, changes, from: at, at }))

    const totals = []
    for (const month of ['2026-09', '2026-10', '2026-11']) totals.push((await billed(db, partner, month)).totalPence)

    expect(totals).toEqual([1_500n, 1_500n, 1_000n])
  })

  test('is not charged at a price of zero', async () => {
    const partner = await opened('2026-09-10T00:00:00Z')
    const at = new Date('2026-09-20T00:00:00Z')
    const changes = { monthlyAccountPence: 0n }
    await db.transaction((tx) => changePrices(tx, { partnerId: partner.id, changes, from: at, at }))

    expect((await billed(db, partner, '2026-09')).totalPence).toBe(1_500n)
    expect((await bill(db, partner, '2026-10')).outcome).toBe('nothing')
  })

  test('uses the price of each month when one run bills several months', async () => {
    const partner = await opened('2026-08-10T00:00:00Z')
    const at = new Date('2026-09-15T00:00:00Z')
    const changes = { monthlyAccountPence: 1_000n }
    await db.transaction((tx) => changePrices(tx, { partnerId: partner.id, changes, from: at, at }))

    const october = await billed(db, partner, '2026-10')

    expect(october.lines).toMatchObject([
      { description: 'Monthly account, August 2026, September 2026 and October 2026', amountPence: 4_000n },
    ])
  })

  test('is shown in its own month, without the fees of unbilled months', async () => {
    const partner = await opened('2026-09-10T00:00:00Z')

    expect(amounts((await soFar(partner, inNovember)).lines)).toEqual([['monthly_account', 1_500n]])
    expect((await billed(db, partner, '2026-10')).totalPence).toBe(3_000n)
    expect(amounts((await soFar(partner, inNovember)).lines)).toEqual([['monthly_account', 1_500n]])
  })

  test('is not charged after the account is closed, and a closed account cannot be reopened', async () => {
    const partner = await opened('2026-10-10T00:00:00Z')
    await db.transaction((tx) => updatePartner(tx, partner.id, { status: 'closed' }, new Date(inOctober)))

    expect((await bill(db, partner, '2026-10')).outcome).toBe('issued')
    expect((await bill(db, partner, '2026-11')).outcome).toBe('nothing')
    await expect(
      db.transaction((tx) => updatePartner(tx, partner.id, { status: 'active' }, new Date(inNovember))),
    ).rejects.toThrow('a closed partner must stay closed')
  })

  test('is billed up to the month of closing by a late run, and later invoices contain only other charges', async () => {
    const partner = await opened('2026-08-10T00:00:00Z')
    await db.transaction((tx) => updatePartner(tx, partner.id, { status: 'closed' }, new Date('2026-09-20T00:00:00Z')))

    const late = await billed(db, partner, '2026-11')
    await charge(db, partner, { ...fee, at: '2026-12-02T00:00:00Z' })
    const last = await billed(db, partner, '2026-12')

    expect(late.lines.map(({ description }) => description)).toEqual([
      'Monthly account, August 2026 and September 2026',
    ])
    expect(amounts(last.lines)).toEqual([['payout_fees', expect.any(BigInt)]])
    expect((await bill(db, partner, '2027-01')).outcome).toBe('nothing')
  })
})

test('more charges than fit into one batch are billed on one invoice', async () => {
  const partner = await aPricedPartner(db)
  await chargeMany(db, partner, { count: 25_000, month: '2026-10' })

  const issued = await billed(db, partner, '2026-10')

  expect(issued.lines.map(({ quantity, description }) => [quantity, description])).toEqual([
    [1, 'Payout fees for 12,500 completed payouts'],
    [12_500, 'Network fees'],
  ])
  // The sum of 12,500 pounds, 2 + 4 + … + 25,000 micropounds (156.2625 pounds), and 12,500 times 1.98p.
  expect(issued.totalPence).toBe(1_250_000n + 15_626n + 24_750n)
})

async function count(text: string, { id }: PartnerRow): Promise<number> {
  const [row]: { n: number }[] = await db.dataSource.query(text, [id])
  return row?.n ?? -1
}
