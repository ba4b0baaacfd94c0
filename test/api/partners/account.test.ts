// GET /v1/account: the key determines the account and the environment.
import { expect, test } from '@jest/globals'
import { pauseRail, resumeRail } from '../../../db/bank/rail-pauses'
import { changePrices } from '../../../db/invoices/price-lists'
import { describePrices } from '../../../domain/invoices/fees'
import { useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aSession } from '../../support/api/fixtures'
import { standardPrices } from '../../support/prices'

const clock = aClock('2026-11-16T12:00:00Z')
const api = useApi({ clock })

test('a sandbox key sees its partner, the sandbox wallet and the formatted prices', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')

  const { status, body } = await api.get('/v1/account', { key })

  expect(status).toBe(200)
  expect(body).toEqual({
    object: 'account',
    id: partner.id,
    name: 'Acme Ltd',
    requested_name: null,
    status: 'active',
    environment: 'sandbox',
    funding_wallet: { currency: 'USDC', chain: 'base', address: null },
    bank_funding: null,
    enabled_countries: ['GB'],
    prices: describePrices(standardPrices),
    rail: 'simulated',
    payouts_paused_at: null,
  })
})

test('a paused rail is shown only in its own environment, until it is resumed', async () => {
  const partner = await aPartner(api)
  const keys = { sandbox: await aKey(api, partner, 'sandbox'), live: await aKey(api, partner, 'live') }
  const pausedAt = async (key: string) => (await api.get('/v1/account', { key })).body['payouts_paused_at']
  const change = { environment: 'sandbox', by: 'ops:ada', at: clock.now() } as const

  await pauseRail(api.db, { ...change, reason: 'maintenance' })
  const paused = [await pausedAt(keys.sandbox), await pausedAt(keys.live)]
  await resumeRail(api.db, change)

  expect(paused).toEqual(['2026-11-16T12:00:00.000Z', null])
  expect(await pausedAt(keys.sandbox)).toBeNull()
})

test('the rail of a live account is provider_production', async () => {
  const key = await aKey(api, await aPartner(api), 'live')

  expect((await api.get('/v1/account', { key })).body).toMatchObject({
    environment: 'live',
    rail: 'provider_production',
  })
})

test.each(['live', 'sandbox', 'nonsense', '', 'a&environment=b'])(
  'the environment parameter %s is ignored for a key',
  async (environment) => {
    const key = await aKey(api, await aPartner(api), 'sandbox')

    const { status, body } = await api.get(`/v1/account?environment=${environment}`, { key })

    expect([status, body['environment']]).toEqual([200, 'sandbox'])
  },
)

test('prices are the partner’s current prices, not future ones', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
  const at = clock.now()
  const from = new Date(at.getTime() + 3_600_000)
  const changes = { payoutFixedPence: 150n, payoutBasisPoints: 250n, monthlyAccountPence: 0n }
  await api.db.transaction((tx) => changePrices(tx, { partnerId: partner.id, changes, from, at }))
  const before = await api.get('/v1/account', { key })

  clock.set(from.toISOString())
  const after = await api.get('/v1/account', { key })

  expect(before.body['prices']).toEqual(describePrices(standardPrices))
  expect(after.body['prices']).toEqual({
    ...describePrices(standardPrices),
    payout: '1.50 GBP + 2.50%',
    monthly_account: '0.00 GBP',
  })
})

test('countries are those enabled for the account', async () => {
  const key = await aKey(api, await aPartner(api, { enabledCountries: [] }), 'sandbox')

  expect((await api.get('/v1/account', { key })).body['enabled_countries']).toEqual([])
})

test.each(['Live', 'lvie', 'production', '', 'live&environment=sandbox'])(
  'a member who requests environment=%s gets an error, not the sandbox',
  async (environment) => {
    const session = await aSession(api, await aPartner(api))

    const read = await api.get(`/v1/account?environment=${environment}`, { session })
    const write = await api.post(`/v1/quotes?environment=${environment}`, { amount_gbp: '10.00' }, { session })
    const ofSession = await api.get(`/v1/auth/session?environment=${environment}`, { session })

    for (const { status, body } of [read, write]) {
      expect([status, body.error?.code, body.error?.details]).toEqual([
        422,
        'invalid_request',
        { errors: ['environment (sandbox or live)'] },
      ])
    }
    expect(ofSession.status).toBe(200)
  },
)
