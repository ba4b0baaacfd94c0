// GET /v1/payouts/{id}/details: the creator of a payout, the parts of its fee, and the bank's reference.
import { expect, test } from '@jest/globals'
import { useApi } from '../../support/api/client'
import { aKey, aPartner, aPayoutRow, aSession } from '../../support/api/fixtures'

const api = useApi()

test('details contain the creator, the exchange rate, the parts of the fee and the bank’s reference', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
  const fields = { idempotencyKey: 'order-1001', createdBy: 'ada@acme.test', transferRef: 'transfer-1' }
  const { id } = await aPayoutRow(api, partner, fields)

  const { status, body } = await api.get(`/v1/payouts/${id}/details`, { key })

  expect(status).toBe(200)
  expect(body).toEqual({
    object: 'payout_details',
    id,
    idempotency_key: 'order-1001',
    created_by: 'ada@acme.test',
    exchange_rate: { gbp_per_usd: 0.79 },
    fee_breakdown: { taken_in_transfer_gbp: '1.10', on_monthly_invoice_gbp: '1.09' },
    bank_reference: 'transfer-1',
  })
})

test('details of an unknown payout, another partner’s or the other environment’s are 404', async () => {
  const [partner, other] = [await aPartner(api), await aPartner(api)]
  const { id } = await aPayoutRow(api, partner)
  const paths = [`/v1/payouts/${id}/details`, '/v1/payouts/nonsense/details']
  const callers = [await aKey(api, other, 'sandbox'), await aKey(api, partner, 'live')]

  for (const key of callers) {
    for (const path of paths) expect((await api.get(path, { key })).body.error?.code).toBe('not_found')
  }
  const session = await aSession(api, partner, 'viewer')
  expect((await api.get(`${paths[0]}?environment=live`, { session })).status).toBe(404)
  expect((await api.get(`${paths[0]}?environment=sandbox`, { session })).status).toBe(200)
})
