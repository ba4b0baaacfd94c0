// GET /v1/balance: the ledger's balance at the bank's rate, never rounded up.
import { expect, test } from '@jest/globals'
import { creditWallet } from '../../../db/wallets/simulated'
import { RailUnavailable } from '../../../rail/rail'
import { useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, changePartner } from '../../support/api/fixtures'

const clock = aClock('2026-11-16T12:00:00Z')
let rate: bigint | null = 790_000_000n
let asked = 0
const rail = {
  rate: async () => {
    asked += 1
    if (rate === null) throw new RailUnavailable('rate')
    return { gbpPerUsdNano: rate, midNano: rate, updatedAt: clock.now() }
  },
}
const api = useApi({ clock, rails: { simulated: rail } })

test('a new sandbox has a float of 10,000 USDC, about 7,900 GBP', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')

  const { status, body } = await api.get('/v1/balance', { key })

  expect(status).toBe(200)
  expect(body).toEqual({ object: 'balance', usdc: '10000.00', approx_gbp: '7900.00', gbp_per_usd: 0.79 })
})

test('both amounts of the balance are rounded down', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
  const credit = { partnerId: partner.id, environment: 'sandbox' as const, causeRef: 'odd', createdBy: 'test' }
  await creditWallet(api, { ...credit, amountMicroUsdc: 1_999_999n })

  expect((await api.get('/v1/balance', { key })).body).toMatchObject({ usdc: '10001.99', approx_gbp: '7901.57' })
})

test('a suspended or closed partner gets 403 partner_not_active', async () => {
  const partners = [await aPartner(api), await aPartner(api)] as const
  const keys = await Promise.all(partners.map((partner) => aKey(api, partner, 'sandbox')))
  await changePartner(api, partners[0], { status: 'suspended' })
  await changePartner(api, partners[1], { status: 'closed' })

  const answers = await Promise.all(keys.map((key) => api.get('/v1/balance', { key })))

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
    [403, 'partner_not_active'],
    [403, 'partner_not_active'],
  ])
})

test('the rate is fetched at most every 30 s, and a cached one is used for 5 minutes while the bank does not answer', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')
  clock.set('2026-11-16T13:00:00Z')
  rate = 812_345_678n
  const [fresh] = await Promise.all([1, 2, 3].map(() => api.get('/v1/balance', { key })))
  const askedOnce = asked

  rate = null
  clock.set('2026-11-16T13:00:30Z')
  const cached = await api.get('/v1/balance', { key })
  const askedStill = asked
  clock.set('2026-11-16T13:05:00Z')
  const old = await api.get('/v1/balance', { key })
  clock.set('2026-11-16T13:05:00.001Z')
  const tooOld = await api.get('/v1/balance', { key })

  expect(fresh?.body['gbp_per_usd']).toBe(0.812345678)
  expect(askedStill).toBe(askedOnce)
  expect([cached.status, old.status, old.body['gbp_per_usd']]).toEqual([200, 200, 0.812345678])
  expect([tooOld.status, tooOld.body.error?.code, tooOld.headers.get('Retry-After')]).toEqual([
    502,
    'provider_unavailable',
    '5',
  ])
})

test('a balance without a connected bank is 502 provider_unavailable', async () => {
  const key = await aKey(api, await aPartner(api), 'live')

  const { status, body } = await api.get('/v1/balance', { key })

  expect([status, body.error?.code]).toEqual([502, 'provider_unavailable'])
})
