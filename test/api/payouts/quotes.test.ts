// POST /v1/quotes: the cost of a payout, within the limits of the API and of the account.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi } from '../../support/api/client'
import { aKey, aPartner } from '../../support/api/fixtures'

const api = useApi()
let key: string

beforeAll(async () => {
  key = await aKey(api, await aPartner(api), 'sandbox')
})

test('a payout of 120.00 costs 0.99 plus 1.00%, and the bank takes its share of the fee in the transfer', async () => {
  const { status, body } = await api.post('/v1/quotes', { amount_gbp: '120.00', country: 'GB' }, { key })

  expect(status).toBe(200)
  expect(body).toEqual({
    object: 'quote',
    country: 'GB',
    seller_receives_gbp: '120.00',
    fee_gbp: '2.19',
    wallet_sends_usdc: '153.30',
    exchange_rate: { gbp_per_usd: 0.79 },
    fee_breakdown: { taken_in_transfer_gbp: '1.10', on_monthly_invoice_gbp: '1.09' },
  })
})

test.each(['1.00', '20000.00'])(
  '%s is within the allowed range, and the country is GB by default',
  async (amount_gbp) => {
    const { status, body } = await api.post('/v1/quotes', { amount_gbp }, { key })

    expect([status, body['seller_receives_gbp'], body['country']]).toEqual([200, amount_gbp, 'GB'])
  },
)

describe('the account’s own settings', () => {
  test.each(['2.49', '5000.01'])(
    '%s is outside the account’s limits and is refused with invalid_amount, with the limits in details',
    async (amount_gbp) => {
      const narrow = await aKey(api, await aPartner(api, { minPayoutPence: 250n, maxPayoutPence: 500_000n }), 'sandbox')

      const { status, body } = await api.post('/v1/quotes', { amount_gbp }, { key: narrow })

      expect([status, body.error]).toEqual([
        422,
        {
          code: 'invalid_amount',
          message: 'amount_gbp must be from 2.50 to 5000.00 for this account.',
          details: { min: '2.50', max_per_payout: '5000.00' },
        },
      ])
    },
  )

  test('a disabled GB corridor is corridor_not_enabled, but an invalid amount is reported first', async () => {
    const off = await aPartner(api, { enabledCountries: [], minPayoutPence: 250n })
    const offKey = await aKey(api, off, 'sandbox')

    const country = await api.post('/v1/quotes', { amount_gbp: '3.00' }, { key: offKey })
    const both = await api.post('/v1/quotes', { amount_gbp: '2.00' }, { key: offKey })

    expect([country.status, country.body.error?.code]).toEqual([422, 'corridor_not_enabled'])
    expect([both.status, both.body.error?.code]).toEqual([422, 'invalid_amount'])
  })
})

test('with several errors, the amount is reported first, then the country and the rest', async () => {
  const codes = async (body: unknown) => (await api.post('/v1/quotes', body, { key })).body.error?.code

  expect(await codes({ amount_gbp: 'x', country: 'FR', more: 1 })).toBe('invalid_amount')
  expect(await codes({ amount_gbp: '1.00', country: 'FR', more: 1 })).toBe('corridor_not_enabled')
  expect(await codes({ amount_gbp: '1.00', country: 'GB', more: 1 })).toBe('invalid_request')
})

test('an unknown property is named in details.errors', async () => {
  const { body } = await api.post('/v1/quotes', { amount_gbp: '1.00', recipient: {} }, { key })

  expect(body.error).toMatchObject({ code: 'invalid_request', details: { errors: ['recipient (unknown field)'] } })
})

test('a suspended partner can still get a quote, because a quote changes nothing', async () => {
  const suspended = await aKey(api, await aPartner(api, { status: 'suspended' }), 'sandbox')

  expect((await api.post('/v1/quotes', { amount_gbp: '1.00' }, { key: suspended })).status).toBe(200)
})

test('a quote without a rate is 502 provider_unavailable', async () => {
  const live = await aKey(api, await aPartner(api), 'live')

  const { status, body, headers } = await api.post('/v1/quotes', { amount_gbp: '1.00' }, { key: live })

  expect([status, body.error?.code, headers.get('Retry-After')]).toEqual([502, 'provider_unavailable', '5'])
})
