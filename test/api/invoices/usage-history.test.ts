// GET /v1/usage/history has one entry per London month. The entry for the current month agrees with GET /v1/usage.
import { beforeAll, expect, test } from '@jest/globals'
import type { PartnerRow } from '../../../db/partners/partners'
import { useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aPayoutRow } from '../../support/api/fixtures'

const api = useApi({ clock: aClock('2027-04-16T12:00:00Z') })
let partner: PartnerRow
let key: string

beforeAll(async () => {
  partner = await aPartner(api)
  key = await aKey(api, partner, 'sandbox')
})

const history = async (query = '') => (await api.get(`/v1/usage/history${query}`, { key })).body.data

test('the history counts payouts by London month, and includes months without payouts', async () => {
  const last = new Date('2027-03-31T22:59:59.999Z')
  const first = new Date('2027-03-31T23:00:00.000Z')
  await aPayoutRow(api, partner, { createdAt: last, completedAt: first, amountPence: 10_000n, feePence: 199n })
  await aPayoutRow(api, partner, { createdAt: last, completedAt: last })
  await aPayoutRow(api, partner, { createdAt: first, status: 'failed' })
  await aPayoutRow(api, partner, { createdAt: first, environment: 'live' })
  await aPayoutRow(api, await aPartner(api), { createdAt: first })

  expect(await history('?months=3')).toEqual([
    { period_start: '2027-02-01', count: 0, completed: 0, paid_gbp: '0.00', fees_gbp: '0.00' },
    { period_start: '2027-03-01', count: 2, completed: 1, paid_gbp: '120.00', fees_gbp: '2.19' },
    { period_start: '2027-04-01', count: 1, completed: 1, paid_gbp: '100.00', fees_gbp: '1.99' },
  ])
})

test('the history covers twelve months by default, or as many as the caller requests', async () => {
  const months = async (query: string) => (await history(query))?.map((month) => month['period_start'])

  expect(await months('')).toHaveLength(12)
  expect((await months('?months=36'))?.[0]).toBe('2024-05-01')
  expect(await months('?months=1')).toEqual(['2027-04-01'])
  expect((await api.get('/v1/usage/history?months=37', { key })).status).toBe(422)
  expect((await api.get('/v1/usage/history?months=0', { key })).status).toBe(422)
})

test('the history agrees with GET /v1/usage for the current month', async () => {
  const { body } = await api.get('/v1/usage', { key })

  const [now] = (await history('?months=1')) ?? []
  expect(body['payouts']).toEqual({
    count: now?.['count'],
    completed: now?.['completed'],
    paid_to_sellers_gbp: now?.['paid_gbp'],
    fees_gbp: now?.['fees_gbp'],
  })
})
