// A live payout is charged once. Each charge or credit belongs to the London calendar month of its event.
import { beforeEach, describe, expect, test } from '@jest/globals'
import { chargeException, chargePayout, creditReturned } from '../../../db/invoices/payout-charges'
import type { PartnerRow } from '../../../db/partners/partners'
import { loadStep, type StepRow } from '../../../db/payouts/steps'
import { openWallet } from '../../../db/wallets/wallets'
import type { Environment } from '../../../domain/environment'
import { aPayout } from '../../support/db/a-payout'
import { aPricedPartner, billed, chargesOf } from '../../support/db/billing'
import { useDatabase } from '../../support/db/database'

const db = useDatabase()
let partner: PartnerRow
beforeEach(async () => {
  partner = await aPricedPartner(db)
})

const october = new Date('2026-10-20T12:00:00Z')
const november = new Date('2026-11-20T12:00:00Z')

/** A payout of 120.00 GBP. Its fee is 2.19 GBP, of which 1.10 GBP is included in the transfer. */
async function aStep(environment: Environment = 'live'): Promise<StepRow> {
  const rail = environment === 'live' ? 'provider_production' : 'simulated'
  const wallet = await db.transaction((tx) => openWallet(tx, { partnerId: partner.id, environment, rail, at: october }))
  return loadStep(db, (await aPayout(db, { environment, rail }, wallet)).id)
}

const complete = (row: StepRow, at = october, cost: bigint | null = null) =>
  db.transaction((tx) => chargePayout(tx, { ...row, completedAt: at, networkCostMicropounds: cost }, at))
const giveBack = (row: StepRow, at: Date) => db.transaction((tx) => creditReturned(tx, row, at))
const except = (row: StepRow, causeRef: string, costMicropounds: bigint, at = october) =>
  db.transaction((tx) => chargeException(tx, row, { causeRef, costMicropounds, at }))

const charges = () => chargesOf(db, partner)

describe('a live payout', () => {
  test('is charged the invoiced part of its fee and the listed network cost plus 10%, even if its completion is repeated', async () => {
    const row = await aStep()

    for (const _ of [1, 2, 3]) await complete(row)

    expect(await charges()).toEqual(['network_fee 19800 2026-10', 'payout_fee 1090000 2026-10'])
  })

  test('is charged the network cost that the bank reports, plus 10%', async () => {
    await complete(await aStep(), october, 25_000n)

    expect(await charges()).toContain('network_fee 27500 2026-10')
  })

  test.each([
    ['2027-03-31T22:59:59.999Z', '2027-03'],
    ['2027-03-31T23:00:00.000Z', '2027-04'],
    ['2027-10-31T23:59:59.999Z', '2027-10'],
    ['2026-10-31T23:30:00.000Z', '2026-10'],
    ['2026-09-30T23:30:00.000Z', '2026-10'],
  ])('that completes at %s is charged in %s', async (at, month) => {
    await complete(await aStep(), new Date(at))

    expect((await charges()).map((line) => line.slice(-7))).toEqual([month, month])
  })
})

test('a sandbox payout is never charged or credited, not even for exceptions', async () => {
  const row = await aStep('sandbox')

  await complete(row)
  await giveBack(row, november)
  await except(row, 'return-1', 1_000_000n)

  expect(await charges()).toEqual([])
})

describe('a completed payout that is returned', () => {
  test('has its fee credited once in the month of the return, but not the network fee', async () => {
    const row = await aStep()
    await complete(row)

    for (const _ of [1, 2]) await giveBack(row, november)

    expect(await charges()).toEqual([
      'credit 1090000 2026-11',
      'network_fee 19800 2026-10',
      'payout_fee 1090000 2026-10',
    ])
  })

  test('costs only the network fee if it is returned in the same month', async () => {
    const row = await aStep()
    await complete(row)
    await giveBack(row, october)

    const invoice = await billed(db, partner, '2026-10')

    expect(invoice.totalPence).toBe(2n)
  })

  test('leaves the old invoice unchanged if it is returned in the next month, and is credited on the next invoice', async () => {
    const row = await aStep()
    await complete(row)
    const before = await billed(db, partner, '2026-10')
    await giveBack(row, november)
    await except(row, 'return-1', 2_000_000n, november)

    const after = await billed(db, partner, '2026-11')

    expect(before.totalPence).toBe(111n)
    expect(after.lines.map(({ kind, amountPence }) => [kind, amountPence])).toEqual([
      ['bank_exceptions', 240n],
      ['credit', 109n],
    ])
    expect(after.totalPence).toBe(131n)
  })

  test('is not credited if it was never charged', async () => {
    await giveBack(await aStep(), november)

    expect(await charges()).toEqual([])
  })
})

test('each exception is charged once, at the bank’s cost plus 20%', async () => {
  const row = await aStep()

  await except(row, 'return-1', 1_000_000n)
  await except(row, 'return-1', 1_000_000n)
  await except(row, 'trace-7', 333_333n)

  expect(await charges()).toEqual(['exception 1200000 2026-10', 'exception 400000 2026-10'])
})
