// Events after an invoice is issued: voiding, payment, carried credit, and the partners that the next run must check.
import { describe, expect, test } from '@jest/globals'
import { findInvoice, findInvoiceDocument } from '../../../db/invoices/invoices'
import { previewInvoice } from '../../../db/invoices/issue'
import { markInvoicePaid, markInvoiceUnpaid, voidInvoice } from '../../../db/invoices/moves'
import { countInvoiced, listPartnersToBill } from '../../../db/invoices/partners-to-bill'
import { loadInvoiceSoFar } from '../../../db/invoices/usage'
import { type PartnerRow, updatePartner } from '../../../db/partners/partners'
import { correctionPrefix } from '../../../domain/invoices/invoice'
import type { Month } from '../../../domain/month'
import { aPricedPartner, bill, billed, charge, credit, fee, inNovember, inOctober } from '../../support/db/billing'
import { useDatabase } from '../../support/db/database'

const db = useDatabase()

const soFar = ({ id }: PartnerRow, now: string) =>
  loadInvoiceSoFar(db, { partnerId: id, environment: 'live' }, new Date(now))
const cancel = (number: string) =>
  db.transaction((tx) => voidInvoice(tx, { number, reason: 'a mistake', at: new Date(inNovember) }))
const amounts = (lines: readonly { kind: string; amountPence: bigint }[]) =>
  lines.map(({ kind, amountPence }) => [kind, amountPence])

describe('a void invoice', () => {
  test('releases its charges for a new invoice with the next number, and remains visible', async () => {
    const partner = await aPricedPartner(db, { liveOpenedAt: new Date('2026-10-01T00:00:00Z') })
    await charge(db, partner, { ...fee, at: inOctober })
    const first = await billed(db, partner, '2026-10')

    expect(await cancel(first.number)).toEqual({ outcome: 'moved', partnerId: partner.id, number: first.number })
    const shown = await soFar(partner, inNovember)
    const second = await billed(db, partner, '2026-10')

    expect(second.lines).toEqual(first.lines)
    expect(sequenceOf(second.number)).toBe(sequenceOf(first.number) + 1)
    expect(amounts(shown.lines)).toContainEqual(['payout_fees', 109n])
    const old = await findInvoiceDocument(db, partner.id, first.invoiceId)
    expect(old).toMatchObject({ status: 'void', voidedOn: '2026-11-15', voidReason: 'a mistake', lines: first.lines })
  })

  test('is referenced only by the invoice that replaces it', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: inOctober })
    const replacedBy = async (period: Month) => {
      const { number, invoiceId } = await billed(db, partner, period)
      return { number, replaces: (await findInvoiceDocument(db, partner.id, invoiceId))?.replaces }
    }

    const first = await replacedBy('2026-10')
    await cancel(first.number)
    const second = await replacedBy('2026-10')
    await cancel(second.number)
    const third = await replacedBy('2026-10')
    await charge(db, partner, { ...fee, at: inNovember })
    const ofNovember = await replacedBy('2026-11')

    expect(first.replaces).toBeUndefined()
    expect(second.replaces).toBe(first.number)
    expect(third.replaces).toBe(second.number)
    expect(ofNovember.replaces).toBeUndefined()
  })

  test('cannot be voided again, and a paid invoice must be marked as unpaid before it is voided', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: inOctober })
    const { number, invoiceId } = await billed(db, partner, '2026-10')
    const at = new Date(inNovember)

    expect(await db.transaction((tx) => markInvoicePaid(tx, { number, at }))).toMatchObject({ outcome: 'moved' })
    expect(await findInvoiceDocument(db, partner.id, invoiceId)).toMatchObject({ status: 'paid', paidOn: '2026-11-15' })
    expect(await cancel(number)).toEqual({ outcome: 'wrong_status', number, status: 'paid' })
    expect(await db.transaction((tx) => markInvoicePaid(tx, { number, at }))).toMatchObject({ outcome: 'wrong_status' })

    expect(await db.transaction((tx) => markInvoiceUnpaid(tx, { number }))).toMatchObject({ outcome: 'moved' })
    expect(await cancel(number)).toMatchObject({ outcome: 'moved' })
    expect(await cancel(number)).toEqual({ outcome: 'wrong_status', number, status: 'void' })
    expect(await cancel('INV-2026-999999')).toEqual({ outcome: 'not_found' })
  })
})

describe('an invoice for 0.00', () => {
  test('is issued as paid, with its own number, and includes its month’s charges', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, amountMicropounds: 0n, at: inOctober })
    await charge(db, partner, { kind: 'network_fee', amountMicropounds: 0n, at: inOctober })

    const october = await billed(db, partner, '2026-10')

    const issuedAt = new Date('2026-11-01T06:00:00Z')
    expect(amounts(october.lines)).toEqual([
      ['payout_fees', 0n],
      ['network_fees', 0n],
    ])
    expect(await findInvoice(db, partner.id, october.invoiceId)).toMatchObject({
      status: 'paid',
      totalPence: 0n,
      issuedAt,
      paidAt: issuedAt,
    })
    expect((await bill(db, partner, '2026-11')).outcome).toBe('nothing')
    await charge(db, partner, { ...fee, at: inNovember })
    const november = await billed(db, partner, '2026-11')
    expect([november.totalPence, sequenceOf(november.number)]).toEqual([109n, sequenceOf(october.number) + 1])
  })

  test('can be voided and issued again, but cannot be marked as unpaid', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: inOctober })
    await charge(db, partner, { ...credit(109n), at: inOctober })
    const { number, invoiceId } = await billed(db, partner, '2026-10')

    const unpaid = await db.transaction((tx) => markInvoiceUnpaid(tx, { number }))
    const voided = await cancel(number)
    const again = await billed(db, partner, '2026-10')

    expect(unpaid).toEqual({ outcome: 'nothing_to_pay', number })
    expect(voided.outcome).toBe('moved')
    expect(await findInvoice(db, partner.id, invoiceId)).toMatchObject({ status: 'void', paidAt: null })
    expect(await findInvoice(db, partner.id, again.invoiceId)).toMatchObject({ status: 'paid', totalPence: 0n })
  })
})

test('an invoice shows the reasons for its own corrections, but not for returned payouts or other months', async () => {
  const partner = await aPricedPartner(db)
  const correction = (ref: string, pence: bigint, description: string) => ({
    ...credit(pence),
    causeRef: `${correctionPrefix}${ref}`,
    description,
  })
  await charge(db, partner, { ...fee, at: inOctober })
  await charge(db, partner, { ...credit(109n), at: inOctober })
  await charge(db, partner, { ...correction('case-17', 40n, 'charged twice'), at: inOctober })
  await charge(db, partner, { ...correction('case-18', 50n, 'late delivery'), at: inNovember })

  const october = await billed(db, partner, '2026-10')

  expect(await findInvoiceDocument(db, partner.id, october.invoiceId)).toMatchObject({
    corrections: [{ amountPence: 40n, reason: 'charged twice' }],
  })
})

describe('credit that exceeds the charges', () => {
  test('is carried forward until it is used up, and no penny is lost', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: inOctober })
    await charge(db, partner, { ...credit(500n), at: inOctober })
    await charge(db, partner, { ...fee, amountMicropounds: 1_000_000n, at: inNovember })
    await charge(db, partner, { ...fee, amountMicropounds: 4_000_000n, at: '2026-12-15T12:00:00Z' })

    const october = await billed(db, partner, '2026-10')
    const shown = await soFar(partner, inNovember)
    const november = await billed(db, partner, '2026-11')
    const december = await billed(db, partner, '2026-12')

    expect([october, november, december].map(({ totalPence }) => totalPence)).toEqual([0n, 0n, 109n])
    expect(amounts(november.lines)).toEqual([
      ['payout_fees', 100n],
      ['credit', 391n],
    ])
    expect(shown.lines).toEqual(november.lines)
    expect(await findInvoice(db, partner.id, november.invoiceId)).toMatchObject({
      carriedInPence: 391n,
      carriedPence: 291n,
    })
    expect(amounts(december.lines)).toEqual([
      ['payout_fees', 400n],
      ['credit', 291n],
    ])
  })

  test('is kept for a later invoice if a month has no charges and therefore no invoice', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: inOctober })
    await charge(db, partner, { ...credit(500n), at: inOctober })
    await billed(db, partner, '2026-10')
    await charge(db, partner, { ...credit(200n), at: inNovember })

    expect(await previewInvoice(db, { partnerId: partner.id, period: '2026-11' })).toEqual({ outcome: 'nothing' })
    expect((await bill(db, partner, '2026-11')).outcome).toBe('nothing')
    expect(
      (await listPartnersToBill(db, { period: '2026-11', after: null, limit: 500 })).map(({ id }) => id),
    ).not.toContain(partner.id)
    await charge(db, partner, { ...fee, amountMicropounds: 7_000_000n, at: '2026-12-15T12:00:00Z' })
    const december = await billed(db, partner, '2026-12')

    expect(amounts(december.lines)).toEqual([
      ['payout_fees', 700n],
      ['credit', 200n],
      ['credit', 391n],
    ])
  })

  test('is shown without the part that the previous, unbilled month will use', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: '2026-09-15T12:00:00Z' })
    await charge(db, partner, { ...credit(500n), at: '2026-09-15T12:00:00Z' })
    await billed(db, partner, '2026-09')
    await charge(db, partner, { ...fee, amountMicropounds: 3_000_000n, at: inOctober })
    await charge(db, partner, { ...fee, at: '2026-11-01T01:00:00Z' })

    const beforeTheRun = await soFar(partner, '2026-11-01T05:00:00Z')
    await billed(db, partner, '2026-10')

    expect(amounts(beforeTheRun.lines)).toEqual([
      ['payout_fees', 109n],
      ['credit', 91n],
    ])
    expect(await soFar(partner, '2026-11-01T07:00:00Z')).toEqual(beforeTheRun)
  })

  test('is shown in the current month, even if neither that month nor the previous one has charges', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...credit(500n), at: inOctober })

    expect(amounts((await soFar(partner, inNovember)).lines)).toEqual([['credit', 500n]])
  })

  test('prevents its invoice from being voided until the later invoices that use the credit are voided', async () => {
    const partner = await aPricedPartner(db)
    await charge(db, partner, { ...fee, at: inOctober })
    await charge(db, partner, { ...credit(500n), at: inOctober })
    await charge(db, partner, { ...fee, at: inNovember })
    await charge(db, partner, { ...fee, at: '2026-12-15T12:00:00Z' })
    const [october, november, december] = [
      await billed(db, partner, '2026-10'),
      await billed(db, partner, '2026-11'),
      await billed(db, partner, '2026-12'),
    ]

    expect(await cancel(october.number)).toEqual({
      outcome: 'credit_used',
      number: october.number,
      usedBy: december.number,
    })
    for (const { number } of [december, november, october]) expect((await cancel(number)).outcome).toBe('moved')
    expect((await soFar(partner, '2027-01-15T12:00:00Z')).creditedPence).toBe(500n)
  })
})

describe('an invoice run', () => {
  const toBill = async (period: string) => {
    const found: string[] = []
    for (let after: string | null = null; ; after = found.at(-1) ?? null) {
      const page = await listPartnersToBill(db, { period, after, limit: 3 })
      found.push(...page.map(({ id }) => id))
      if (page.length < 3) return found
    }
  }

  test('checks partners with a live account or charges until they are billed, and again when charges are released', async () => {
    const period = '2029-05'
    const [idle, live, late, future] = [
      await aPricedPartner(db),
      await aPricedPartner(db, { liveOpenedAt: new Date('2029-05-31T22:59:59Z') }),
      await aPricedPartner(db),
      await aPricedPartner(db, { liveOpenedAt: new Date('2029-05-31T23:00:00Z') }),
    ]
    await charge(db, late, { ...fee, at: '2029-05-02T00:00:00Z' })
    const ours = async () => {
      const ids = await toBill(period)
      return [idle, live, late, future].map(({ id }) => ids.includes(id))
    }

    expect(await ours()).toEqual([false, true, true, false])
    expect(await toBill(period)).toEqual((await toBill(period)).toSorted())

    const before = await countInvoiced(db, period)
    const invoice = await billed(db, live, period)
    await billed(db, late, period)
    expect(await ours()).toEqual([false, false, false, false])
    expect((await countInvoiced(db, period)) - before).toBe(2)

    await cancel(invoice.number)
    expect(await ours()).toEqual([false, true, false, false])
  })

  test('checks a partner with nothing to bill once, and again only if a late charge arrives', async () => {
    const period = '2029-06'
    const partner = await aPricedPartner(db, { liveOpenedAt: new Date('2026-01-01T00:00:00Z') })
    await db.transaction((tx) => updatePartner(tx, partner.id, { status: 'closed' }, new Date('2026-02-01T00:00:00Z')))

    expect(await toBill(period)).toContain(partner.id)
    expect((await billed(db, partner, '2026-01')).totalPence).toBe(1_500n)
    expect(await toBill(period)).toContain(partner.id)
    expect((await bill(db, partner, period)).outcome).toBe('nothing')
    expect(await toBill(period)).not.toContain(partner.id)

    await charge(db, partner, { ...fee, at: '2029-06-02T00:00:00Z' })
    expect(await toBill(period)).toContain(partner.id)
  })
})

function sequenceOf(number: string): number {
  return Number(number.slice(-6))
}
