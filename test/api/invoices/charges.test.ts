// GET /v1/invoices/{id}/charges and .csv: a partner can recompute its invoices to the penny.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { addCharge, type Charge } from '../../../db/invoices/charges'
import { issueInvoice } from '../../../db/invoices/issue'
import { voidInvoice } from '../../../db/invoices/moves'
import type { PartnerRow } from '../../../db/partners/partners'
import { type ChargeKind, chargeKinds } from '../../../domain/invoices/invoice'
import { nextMonth, startOf } from '../../../domain/month'
import { useApi } from '../../support/api/client'
import { aClock, aKey, anInvoice, aPartner, aPayoutRow, aSeller, changePartner } from '../../support/api/fixtures'
import { asIssued, chargesOf, invoiceOf, recompute } from '../../support/api/recompute-invoice'

// The clock starts before all charges, because a partner gets the prices that apply when it is created.
const api = useApi({ clock: aClock('2026-08-01T12:00:00Z') })

const october = '2026-10'

test('an invoice can be recomputed to the penny from the API alone, even with late charges and carried credit', async () => {
  const prices = fc.constantFrom(0n, 1n, 4_999n, 5_000n, 19_800n, 490_000n, 1_090_000n)
  const charge = fc.record({
    kind: fc.constantFrom<ChargeKind>('payout_fee', 'network_fee', 'exception', 'credit', 'verification'),
    amountMicropounds: fc.oneof(prices, fc.bigInt({ min: 0n, max: 99_999_999n })),
    month: fc.constantFrom('2026-08', '2026-09', october),
  })
  const charges = fc.array(charge, { minLength: 1, maxLength: 40 })

  const holds = async (all: readonly Pick<Charge, 'kind' | 'amountMicropounds' | 'month'>[]) => {
    const { partner, get } = await aBilledPartner(new Date('2026-08-20T00:00:00Z'))
    for (const each of all) await charged(partner, each)
    for (const period of ['2026-08', october]) await issue(partner, period)

    const invoices = (await get('/v1/invoices')).data ?? []

    expect(invoices.map(({ period, months }) => [period, months])).toEqual([
      [october, ['2026-09', october]],
      ['2026-08', ['2026-08']],
    ])
    for (const { id } of invoices) {
      const invoice = await invoiceOf(get, String(id))
      const behind = await chargesOf(get, invoice.id, 7)
      expect(new Set(behind.map((each) => each.id)).size).toBe(behind.length)
      expect(recompute(invoice, behind)).toEqual(asIssued(invoice))
    }
  }
  await fc.assert(fc.asyncProperty(charges, holds), { numRuns: 12 })
})

describe('a charge', () => {
  test('has its cause, its exact amount and its invoice line', async () => {
    const { partner, get } = await aBilledPartner(new Date('2026-10-01T12:00:00Z'))
    const { id: payoutId } = await aPayoutRow(api, partner, { environment: 'live' })
    const caseId = randomUUID()
    const about = { payoutId, amountMicropounds: 19_800n }
    await charged(partner, { ...about, kind: 'payout_fee', causeRef: payoutId })
    await charged(partner, { ...about, kind: 'network_fee', causeRef: payoutId })
    await charged(partner, { ...about, kind: 'exception', causeRef: `return/${payoutId}` })
    await charged(partner, { ...about, kind: 'exception', causeRef: `case/${caseId}` })
    await charged(partner, { ...about, kind: 'credit', causeRef: payoutId })
    await charged(partner, { kind: 'credit', causeRef: 'ops/case-17', description: 'charged twice' })
    await charged(partner, { kind: 'verification', causeRef: 'verification', amountMicropounds: 39_000_000n })
    const invoiceId = await issue(partner, october)

    const { data = [] } = await get(`/v1/invoices/${invoiceId}/charges`)

    const ofPayout = { payout_id: payoutId, amount_gbp: '0.0198', case_id: null, month: october, description: null }
    const ofNone = { payout_id: null, case_id: null, month: october }
    expect(new Set(data.map(({ kind }) => kind))).toEqual(new Set(chargeKinds))
    expect(data).toHaveLength(8)
    for (const expected of [
      { ...ofPayout, kind: 'payout_fee', line_kind: 'payout_fees', cause: 'payout_completed' },
      { ...ofPayout, kind: 'network_fee', line_kind: 'network_fees', cause: 'payout_completed' },
      { ...ofPayout, kind: 'exception', line_kind: 'bank_exceptions', cause: 'payout_returned' },
      { ...ofPayout, kind: 'exception', line_kind: 'bank_exceptions', cause: 'case_resolved', case_id: caseId },
      { ...ofPayout, kind: 'credit', line_kind: 'credit', cause: 'payout_returned' },
      { ...ofNone, kind: 'credit', cause: 'correction', description: 'charged twice', amount_gbp: '1.00' },
      { ...ofNone, kind: 'verification', line_kind: 'business_verification', amount_gbp: '39.00' },
      { ...ofNone, kind: 'monthly_account', cause: 'monthly_account', amount_gbp: '15.00' },
    ]) {
      expect(data).toContainEqual(expect.objectContaining({ object: 'charge', ...expected }))
    }
    expect(data.every(({ created_at }) => typeof created_at === 'string')).toBe(true)
  })

  test('is also in the CSV, where credits are negative', async () => {
    const { partner, get, key } = await aBilledPartner(null)
    await charged(partner, { kind: 'payout_fee', amountMicropounds: 1_090_000n })
    await charged(partner, { kind: 'credit', causeRef: 'ops/1', description: '=1+1', amountMicropounds: 19_801n })
    const invoiceId = await issue(partner, october)

    const csv = await api.get(`/v1/invoices/${invoiceId}/charges.csv`, { key })
    const { data = [] } = await get(`/v1/invoices/${invoiceId}/charges`)

    const { body: invoice } = await api.get(`/v1/invoices/${invoiceId}`, { key })
    expect(csv.headers.get('Content-Disposition')).toBe(
      `attachment; filename="${String(invoice['number'])}-charges.csv"`,
    )
    const [columns, ...rows] = csv.bytes.toString('utf8').trimEnd().split('\r\n')
    expect(columns).toBe('\uFEFFid,created_at,kind,line_kind,amount_gbp,cause,payout_id,case_id,month,description')
    expect(rows.map((row) => row.split(',')[0])).toEqual(data.map(({ id }) => id))
    expect(rows.map((row) => row.split(',').slice(2).join(',')).toSorted()).toEqual([
      `credit,credit,-0.019801,correction,,,2026-10,'=1+1`,
      'payout_fee,payout_fees,1.09,payout_completed,,,2026-10,',
    ])
  })
})

test('line_kind selects the charges of one line, in the list and the CSV, across pages', async () => {
  const { partner, get, key } = await aBilledPartner(null)
  for (const kind of ['payout_fee', 'network_fee', 'exception', 'credit', 'verification', 'network_fee'] as const)
    await charged(partner, { kind })
  const path = `/v1/invoices/${await issue(partner, october)}/charges`
  const all = (await get(path)).data ?? []

  for (const line_kind of new Set(all.map((charge) => String(charge['line_kind'])))) {
    const wanted = all.filter((charge) => charge['line_kind'] === line_kind)
    const { data, next_cursor } = await get(`${path}?line_kind=${line_kind}&limit=1`)
    const rest = next_cursor ? (await get(`${path}?line_kind=${line_kind}&starting_after=${next_cursor}`)).data : []
    expect([...(data ?? []), ...(rest ?? [])]).toEqual(wanted)
    const csv = (await api.get(`${path}.csv?line_kind=${line_kind}`, { key })).bytes.toString('utf8')
    expect(
      csv
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((row) => row.slice(0, 36)),
    ).toEqual(wanted.map(({ id }) => id))
  }
  expect(all).toHaveLength(6)
  expect((await get(`${path}?line_kind=monthly_account`)).data).toEqual([])
  expect((await api.get(`${path}?line_kind=fees`, { key })).status).toBe(422)
})

test('a void invoice still lists its charges, and so does the one that replaced it', async () => {
  const { partner, get } = await aBilledPartner(null)
  await charged(partner, { kind: 'payout_fee' })
  const first = await issue(partner, october)
  const { number } = await invoiceOf(get, first)
  await api.db.transaction((tx) => voidInvoice(tx, { number, reason: 'a mistake', at: new Date() }))
  const second = await issue(partner, october)

  const [before, after] = [await chargesOf(get, first), await chargesOf(get, second)]

  expect(before).toHaveLength(1)
  expect(after).toEqual(before)
})

test('another partner’s invoice, a draft and an unknown invoice are 404, and a cursor from another invoice is 422', async () => {
  const { partner, key } = await aBilledPartner(null)
  const other = await aBilledPartner(null)
  for (const each of [partner, other.partner]) await charged(each, { kind: 'payout_fee' })
  const [mine, theirs] = [await issue(partner, october), await issue(other.partner, october)]
  const draft = await anInvoice(api, partner, { period: '2026-12-01', status: 'draft', number: null, issuedAt: null })
  const [foreign] = await chargesOf(other.get, theirs)
  const statusOf = async (path: string) => (await api.get(`/v1/invoices/${path}`, { key })).status

  for (const id of [theirs, draft.id, randomUUID()]) {
    expect([await statusOf(`${id}/charges`), await statusOf(`${id}/charges.csv`)]).toEqual([404, 404])
  }
  for (const query of [`starting_after=${foreign?.id}`, 'starting_after=x', 'limit=0', 'limit=201', 'limt=5']) {
    expect(await statusOf(`${mine}/charges?${query}`)).toBe(422)
  }
})

/** A partner with the standard prices, and a live account if an opening time is given. */
async function aBilledPartner(liveOpenedAt: Date | null) {
  const partner = await aPartner(api)
  if (liveOpenedAt !== null) await changePartner(api, partner, { liveOpenedAt })
  const key = await aKey(api, partner, 'live')
  return { partner, key, get: async (path: string) => (await api.get(path, { key })).body }
}

type Fields = Partial<Omit<Charge, 'partnerId' | 'at'>> & Pick<Charge, 'kind'>

async function charged(partner: PartnerRow, { kind, month = october, ...fields }: Fields): Promise<void> {
  const at = new Date(startOf(month).getTime() + 86_400_000)
  const about = { partnerId: partner.id, causeRef: randomUUID(), payoutId: null, amountMicropounds: 1_000_000n, at }
  await api.db.transaction((tx) => addCharge(tx, { ...about, kind, month, ...fields }))
}

async function issue({ id: partnerId }: PartnerRow, period: string): Promise<string> {
  const at = new Date(startOf(nextMonth(period)).getTime() + 6 * 3_600_000)
  const issued = await issueInvoice(api.db, { partnerId, period, at, seller: aSeller })
  if (issued.outcome !== 'issued') throw new Error(`${period} was not issued: ${issued.outcome}`)
  return issued.invoiceId
}
