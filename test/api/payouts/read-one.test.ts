// GET /v1/payouts/{id}: one payout, and a 304 response to a poll if the payout has not changed.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../support/api/client'
import { aKey, aPartner, aPayoutRow, useCaller } from '../../support/api/fixtures'

const api = useApi()
const { partner, caller } = useCaller(api)

test('a payout has every field, with null for recipient details that are not stored', async () => {
  const createdAt = new Date('2026-11-16T09:30:00.123Z')
  const row = await aPayoutRow(api, partner, {
    createdAt,
    status: 'processing',
    recipientName: null,
    accountLast4: null,
  })

  const { status, body } = await api.get(`/v1/payouts/${row.id}?environment=live`, caller)

  expect(status).toBe(200)
  expect(body).toEqual({
    id: row.id,
    object: 'payout',
    environment: 'sandbox',
    status: 'processing',
    reference: null,
    country: 'GB',
    amount_gbp: '120.00',
    fee_gbp: '2.19',
    fee_breakdown: { taken_in_transfer_gbp: '1.10', on_monthly_invoice_gbp: '1.09' },
    wallet_sent_usdc: '153.30',
    recipient: { name: null, account_last4: null },
    failure_reason: null,
    created_at: '2026-11-16T09:30:00.123Z',
    updated_at: '2026-11-16T09:30:00.123Z',
    completed_at: null,
    created_via: 'api',
    idempotency_key: row.idempotencyKey,
  })
})

test('a returned payout still has its completion time', async () => {
  const completedAt = new Date('2026-10-31T23:59:59.999Z')
  const { id } = await aPayoutRow(api, partner, { status: 'returned', completedAt })

  expect((await api.get(`/v1/payouts/${id}`, caller)).body['completed_at']).toBe('2026-10-31T23:59:59.999Z')
})

test('an ID in capital letters is accepted', async () => {
  const row = await aPayoutRow(api, partner)

  expect((await api.get(`/v1/payouts/${row.id.toUpperCase()}`, caller)).body['id']).toBe(row.id)
})

describe('404 not_found is the same for', () => {
  const hidden = { status: 'pending', verdictAt: null, verdict: null } as const
  test.each([
    ['an unknown ID', async () => randomUUID()],
    ['a malformed ID', async () => 'order-1001'],
    ['another partner’s payout', async () => (await aPayoutRow(api, await aPartner(api))).id],
    ['a payout of the other environment', async () => (await aPayoutRow(api, partner, { environment: 'live' })).id],
    ['an undecided payout', async () => (await aPayoutRow(api, partner, hidden)).id],
    [
      'a released payout',
      async () =>
        (await aPayoutRow(api, partner, { ...hidden, verdict: 'payout_not_created', releasedAt: new Date() })).id,
    ],
  ])('%s', async (_name, idOf) => {
    const { status, body, headers } = await api.get(`/v1/payouts/${await idOf()}`, caller)

    expect([status, body]).toEqual([404, { error: { code: 'not_found', message: 'There is no such resource.' } }])
    expect(headers.get('ETag')).toBeNull()
  })
})

describe('polling', () => {
  test('an unchanged payout is 304 without a body, and a changed one is 200 with another ETag', async () => {
    const row = await aPayoutRow(api, partner, { status: 'processing' })
    const path = `/v1/payouts/${row.id}`
    const first = await api.get(path, caller)
    const etag = first.headers.get('ETag') ?? ''

    const same = await api.get(path, { ...caller, headers: { 'If-None-Match': etag } })
    // Changes the payout within the same millisecond, as a fast bank might.
    await api.db.dataSource.query(`UPDATE payouts SET status = 'completed', completed_at = updated_at WHERE id = $1`, [
      row.id,
    ])
    const changed = await api.get(path, { ...caller, headers: { 'If-None-Match': etag } })

    expect(etag).toMatch(/^W\/"[^"]+"$/)
    expect([same.status, same.body, same.headers.get('ETag')]).toEqual([304, {}, etag])
    expect([changed.status, changed.body['status']]).toEqual([200, 'completed'])
    expect(changed.headers.get('ETag')).not.toBe(etag)
  })

  test('If-None-Match accepts a list, a strong ETag and *', async () => {
    const row = await aPayoutRow(api, partner)
    const path = `/v1/payouts/${row.id}`
    const etag = (await api.get(path, caller)).headers.get('ETag') ?? ''
    const ask = async (header: string) =>
      (await api.get(path, { ...caller, headers: { 'If-None-Match': header } })).status

    expect(await ask(`"other", ${etag}`)).toBe(304)
    expect(await ask(etag.replace('W/', ''))).toBe(304)
    expect(await ask('*')).toBe(304)
    expect(await ask('"other", W/"another"')).toBe(200)
    expect(await ask('')).toBe(200)
  })

  test('a matching ETag gives no access to other callers', async () => {
    const row = await aPayoutRow(api, partner)
    const path = `/v1/payouts/${row.id}`
    const headers = { 'If-None-Match': (await api.get(path, caller)).headers.get('ETag') ?? '' }

    expect((await api.get(path, { headers })).status).toBe(401)
    expect((await api.get(path, { headers, key: await aKey(api, await aPartner(api), 'sandbox') })).status).toBe(404)
  })
})
