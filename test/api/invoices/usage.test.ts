// GET /v1/usage covers the current London month. Charges are summed per line and rounded once.
import { beforeEach, describe, expect, test } from '@jest/globals'
import { issueInvoice } from '../../../db/invoices/issue'
import type { PartnerRow } from '../../../db/partners/partners'
import { useApi } from '../../support/api/client'
import { aCharge, aClock, aKey, aPartner, aPayoutRow, aSeller } from '../../support/api/fixtures'
import type { Json } from '../../support/bank/client'

const clock = aClock('2026-11-16T12:00:00Z')
const api = useApi({ clock })
let partner: PartnerRow
let sandbox: string
let live: string

beforeEach(async () => {
  clock.set('2026-11-16T12:00:00Z')
  partner = await aPartner(api)
  sandbox = await aKey(api, partner, 'sandbox')
  live = await aKey(api, partner, 'live')
})

const usage = async (key: string) => (await api.get('/v1/usage', { key })).body

/** The lines of the invoice so far, each as its kind and amount, and the total. */
async function soFar(key: string): Promise<string[]> {
  const { lines, total_gbp } = Object((await usage(key))['invoice_so_far'])
  return [...lines.map((line: Json) => `${line.kind} ${line.amount_gbp}`), `total ${total_gbp}`]
}

test('a month without payouts is all zeros', async () => {
  expect(await usage(live)).toEqual({
    object: 'usage',
    period_start: '2026-11-01',
    payouts: { count: 0, completed: 0, paid_to_sellers_gbp: '0.00', fees_gbp: '0.00' },
    invoice_so_far: { lines: [], total_gbp: '0.00' },
  })
})

test('count covers payouts created in the month, and completed, paid and fees cover those completed in it', async () => {
  const october = new Date('2026-10-20T12:00:00Z')
  const november = new Date('2026-11-02T12:00:00Z')
  await aPayoutRow(api, partner, { createdAt: october, completedAt: october })
  await aPayoutRow(api, partner, { createdAt: october, completedAt: november, amountPence: 100n, feePence: 110n })
  await aPayoutRow(api, partner, { createdAt: november })
  await aPayoutRow(api, partner, { createdAt: november, status: 'processing' })
  await aPayoutRow(api, partner, { createdAt: november, status: 'failed' })
  await aPayoutRow(api, partner, { createdAt: november, status: 'returned', completedAt: november })
  await aPayoutRow(api, partner, { createdAt: november, status: 'pending', verdictAt: null })
  await aPayoutRow(api, partner, { createdAt: november, environment: 'live' })
  await aPayoutRow(api, await aPartner(api), { createdAt: november })

  expect((await usage(sandbox))['payouts']).toEqual({
    count: 4,
    completed: 2,
    paid_to_sellers_gbp: '121.00',
    fees_gbp: '3.29',
  })
})

describe('a month begins and ends at midnight in London', () => {
  test.each([
    ['2027-03-31T22:59:59.999Z', '2027-03-01'],
    ['2027-03-31T23:00:00.000Z', '2027-04-01'],
    ['2027-10-31T23:59:59.999Z', '2027-10-01'],
    ['2027-11-01T00:00:00.000Z', '2027-11-01'],
  ])('at %s, the period starts on %s', async (now, month) => {
    clock.set(now)

    expect((await usage(sandbox))['period_start']).toBe(month)
  })

  test('a payout at 2027-03-31T22:59:59.999Z belongs to March, and one at 23:00:00Z to April', async () => {
    const [march, april] = [new Date('2027-03-31T22:59:59.999Z'), new Date('2027-03-31T23:00:00Z')]
    await aPayoutRow(api, partner, { createdAt: march })
    await aPayoutRow(api, partner, { createdAt: april, amountPence: 100n })

    clock.set('2027-03-31T22:59:59.999Z')
    const inMarch = await usage(sandbox)
    clock.set('2027-04-15T00:00:00Z')
    const inApril = await usage(sandbox)

    expect(inMarch['payouts']).toMatchObject({ count: 1, completed: 1, paid_to_sellers_gbp: '120.00' })
    expect(inApril['payouts']).toMatchObject({ count: 1, completed: 1, paid_to_sellers_gbp: '1.00' })
  })
})

describe('the invoice so far', () => {
  const month = '2026-11-01'

  test('sums fractions of a penny per line, rounds once, and subtracts credits', async () => {
    for (let n = 0; n < 3; n++) await aCharge(api, partner, { kind: 'network_fee', amountMicropounds: 19_800n, month })
    await aCharge(api, partner, { kind: 'payout_fee', amountMicropounds: 1_090_000n, month })
    await aCharge(api, partner, { kind: 'monthly_account', amountMicropounds: 15_000_000n, month })
    await aCharge(api, partner, { kind: 'exception', amountMicropounds: 12_000_000n, month })
    await aCharge(api, partner, { kind: 'verification', amountMicropounds: 39_000_000n, month })
    await aCharge(api, partner, { kind: 'credit', amountMicropounds: 1_090_000n, month })
    await aCharge(api, partner, { kind: 'payout_fee', amountMicropounds: 9_990_000n, month: '2026-10-01' })
    await aCharge(api, await aPartner(api), { kind: 'payout_fee', amountMicropounds: 9_990_000n, month })

    expect(await soFar(live)).toEqual([
      'payout_fees 1.09',
      'monthly_account 15.00',
      'business_verification 39.00',
      'network_fees 0.06',
      'bank_exceptions 12.00',
      'credit 1.09',
      'total 66.06',
    ])
  })

  test('is never negative, even if credits exceed the charges', async () => {
    await aCharge(api, partner, { kind: 'payout_fee', amountMicropounds: 1_000_000n, month })
    await aCharge(api, partner, { kind: 'credit', amountMicropounds: 5_000_000n, month })

    expect(await soFar(live)).toEqual(['payout_fees 1.00', 'credit 5.00', 'total 0.00'])
  })

  test('includes the monthly account fee before it is stored, and credit carried over', async () => {
    clock.set('2026-10-05T12:00:00Z')
    const older = await aPartner(api, { liveOpenedAt: clock.now() })
    const key = await aKey(api, older, 'live')
    await aCharge(api, older, { kind: 'credit', amountMicropounds: 20_000_000n, month: '2026-10-01' })
    clock.set('2026-11-01T06:00:00Z')
    await issueInvoice(api.db, { partnerId: older.id, period: '2026-10', at: clock.now(), seller: aSeller })

    expect(await soFar(key)).toEqual(['monthly_account 15.00', 'credit 5.00', 'total 10.00'])
  })

  test('is always empty in the sandbox', async () => {
    await aCharge(api, partner, { kind: 'monthly_account', amountMicropounds: 15_000_000n, month })

    expect(await soFar(sandbox)).toEqual(['total 0.00'])
  })
})
