// GET /v1/account (§2 Account): the key decides whose account and which environment.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Api, startApi } from '../client'
import { aKey, aPartner } from '../fixtures'

let api: Api

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

test('a sandbox key sees its partner, the sandbox wallet and the prices in words', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')

  const { status, body } = await api.get('/v1/account', { key })

  expect(status).toBe(200)
  expect(body).toEqual({
    object: 'account',
    id: partner.id,
    name: 'Acme Ltd',
    status: 'active',
    environment: 'sandbox',
    funding_wallet: { currency: 'USDC', chain: 'base', address: null },
    enabled_countries: ['GB'],
    prices: { payout: '0.99 GBP + 1.00%', monthly_account: '15.00 GBP' },
    rail: 'simulated',
  })
})

test('a live key drives provider_production', async () => {
  const key = await aKey(api, await aPartner(api), 'live')

  expect((await api.get('/v1/account', { key })).body).toMatchObject({
    environment: 'live',
    rail: 'provider_production',
  })
})

test.each(['live', 'sandbox', 'nonsense', '', 'a&environment=b'])(
  'the parameter environment=%s is ignored: the key decides',
  async (environment) => {
    const key = await aKey(api, await aPartner(api), 'sandbox')

    const { status, body } = await api.get(`/v1/account?environment=${environment}`, { key })

    expect([status, body['environment']]).toEqual([200, 'sandbox'])
  },
)

test('prices are the partner’s own at this moment, not those to come', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
  const change = (sql: string) => api.db.dataSource.query(sql, [partner.id])
  await change(`UPDATE price_lists SET valid_until = now() + interval '1 hour' WHERE partner_id = $1`)
  await change(`INSERT INTO price_lists SELECT gen_random_uuid(), partner_id, valid_until, NULL, 150, 250, 50, 50, 0, 0, 0, 0, 0
    FROM price_lists WHERE partner_id = $1`)
  const before = await api.get('/v1/account', { key })

  await change(`UPDATE price_lists SET valid_from = valid_from - interval '2 hours',
    valid_until = valid_until - interval '2 hours' WHERE partner_id = $1`)
  const after = await api.get('/v1/account', { key })

  expect(before.body['prices']).toEqual({ payout: '0.99 GBP + 1.00%', monthly_account: '15.00 GBP' })
  expect(after.body['prices']).toEqual({ payout: '1.50 GBP + 2.50%', monthly_account: '0.00 GBP' })
})

test('countries are those that are enabled for the account', async () => {
  const key = await aKey(api, await aPartner(api, { enabledCountries: [] }), 'sandbox')

  expect((await api.get('/v1/account', { key })).body['enabled_countries']).toEqual([])
})
