// GET /v1/activity: the latest requests on the account and their callers, without the content of the
// requests.
import { expect, test } from '@jest/globals'
import { type ActivityEntry, recordActivity } from '../../../db/controls/activity'
import { useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aPayoutRow, aSession, revokeKey } from '../../support/api/fixtures'
import { aRequest } from '../../support/api/payout-world'

const clock = aClock('2026-11-16T12:00:00Z')
const api = useApi({ clock })

function anEntry(partnerId: string, n: number, second: number): ActivityEntry {
  const at = new Date(Date.UTC(2026, 10, 17, 0, 0, second))
  const about = { partnerId, environment: null, status: 200, madeBy: 'x', detail: null, requestId: null }
  return { ...about, at, action: `call.${n}`, changes: 'something' }
}

const activityOf = async (key: string) => (await api.get('/v1/activity', { key })).body

test('a caller finds its own earlier calls immediately, newest first, including refused ones', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')
  clock.set('2026-11-16T12:00:01Z')
  await api.get('/v1/account', { key })
  clock.set('2026-11-16T12:00:02Z')
  await api.get('/v1/payouts/unknown', { key })
  clock.set('2026-11-16T12:00:03Z')
  const refused = await api.post('/v1/quotes', { amount_gbp: '0.00' }, { key })
  clock.set('2026-11-16T12:00:04Z')
  await api.get('/v1/payouts?limit=0', { key })

  const { data, ...list } = await activityOf(key)

  expect(list).toEqual({ object: 'list', has_more: false, next_cursor: null })
  expect(data?.slice(0, 4).map(({ at, action, status, detail }) => [at, action, status, detail])).toEqual([
    ['2026-11-16T12:00:04.000Z', 'payout.list', 422, 'invalid_request'],
    ['2026-11-16T12:00:03.000Z', 'quote.create', 422, 'invalid_amount'],
    ['2026-11-16T12:00:02.000Z', 'payout.read', 404, 'not_found'],
    ['2026-11-16T12:00:01.000Z', 'account.read', 200, null],
  ])
  expect(data?.[1]).toEqual({
    id: expect.stringMatching(/^[A-Za-z0-9_-]+$/),
    at: '2026-11-16T12:00:03.000Z',
    environment: 'sandbox',
    action: 'quote.create',
    status: 422,
    by: `key:${key.slice(0, 'kp_sandbox_'.length + 8)}`,
    detail: 'invalid_amount',
    request_id: refused.headers.get('X-Request-Id'),
    payout: null,
  })
})

test('a live key sees both environments and operators’ actions, but no data of other partners', async () => {
  const partner = await aPartner(api)
  const [sandbox, live] = [await aKey(api, partner, 'sandbox'), await aKey(api, partner, 'live')]
  const other = await aKey(api, await aPartner(api), 'live')
  await api.get('/v1/usage', { key: sandbox })
  await api.get('/v1/compliance', { key: other })

  const seen = (await activityOf(live)).data?.map(({ environment, action, by }) => [environment, action, by])

  expect(seen).toContainEqual(['sandbox', 'usage.read', `key:${sandbox.slice(0, 'kp_sandbox_'.length + 8)}`])
  expect(seen).toContainEqual([null, 'partner.create', 'service'])
  expect(JSON.stringify(seen)).not.toContain('compliance.read')
})

test.each(['', '?changes_only=true', '?security_only=true'])(
  'a sandbox key sees neither live calls nor account management (query "%s")',
  async (query) => {
    const partner = await aPartner(api)
    const [sandbox, live] = [await aKey(api, partner, 'sandbox'), await aKey(api, partner, 'live')]
    await api.get('/v1/usage', { key: live })
    const change = { ...anEntry(partner.id, 1, 1), madeBy: 'ada@acme.test' }
    await recordActivity(api.db, [
      { ...change, environment: 'live', action: 'key.create' },
      { ...change, environment: 'sandbox', action: 'key.create' },
      { ...change, environment: null, action: 'account.update', detail: 'contact_email' },
    ])

    const { status, body } = await api.get(`/v1/activity${query}`, { key: sandbox })

    expect([status, new Set(body.data?.map(({ environment }) => environment))]).toEqual([200, new Set(['sandbox'])])
    expect(body.data?.filter(({ action }) => action === 'key.create')).toHaveLength(1)
  },
)

test('a new key stays on the first page of the security events, however many changes follow', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  const { key_prefix } = (await api.post('/v1/keys', { environment: 'sandbox' }, { session })).body
  const paint = () => api.send('PATCH', '/v1/account', { brand_color: '#0f766e' }, { session })
  for (let batch = 0; batch < 3; batch++) await Promise.all(Array.from({ length: 67 }, paint))

  const detailsOn = async (query: string) =>
    (await api.get(`/v1/activity?${query}`, { session })).body.data?.map(({ detail }) => detail)
  const changes = await api.get('/v1/activity?changes_only=true', { session })

  expect(await detailsOn('security_only=true')).toContain(key_prefix)
  expect(await detailsOn('changes_only=true')).not.toContain(key_prefix)
  expect(await detailsOn(`changes_only=true&starting_after=${changes.body.next_cursor}`)).toContain(key_prefix)
})

test('detail contains the ID of the payout that was created, replayed or read, or the error code of a refusal', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
  const other = await aPayoutRow(api, partner)
  const headers = { 'Idempotency-Key': 'order-1001' }

  const { id } = (await api.post('/v1/payouts', aRequest({ recipient: account }), { key, headers })).body
  await api.post('/v1/payouts', aRequest({ recipient: account }), { key, headers })
  await api.post('/v1/payouts', aRequest({ recipient: account, amount_gbp: '1.00' }), { key, headers })
  await api.get(`/v1/payouts/${other.id}`, { key })
  await api.get(`/v1/payouts/${other.id}/events`, { key })
  await api.post(`/v1/payouts/${other.id}/cancel`, undefined, { key })
  const admin = await aSession(api, partner)
  await api.post('/v1/keys', { environment: 'mars' }, { session: admin })

  const entries = (await activityOf(key)).data?.slice(0, 7) ?? []
  expect(entries.map(({ action, status, detail }) => [action, status, detail])).toEqual([
    ['key.create', 422, 'invalid_request'],
    ['payout.cancel', 409, 'invalid_state'],
    ['payout.events', 200, other.id],
    ['payout.read', 200, other.id],
    ['payout.create', 422, 'idempotency_key_reused'],
    ['payout.create', 200, id],
    ['payout.create', 201, id],
  ])
})

const account = { bank: { account_number: '38290008' } }

test('limit, has_more and next_cursor page through all entries, each exactly once', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'live')
  // Entries with the same timestamp must not be lost between two pages.
  const entries = Array.from({ length: 23 }, (_, n) => anEntry(partner.id, n, Math.floor(n / 4)))
  await recordActivity(api.db, entries)

  const seen: unknown[] = []
  const sizes: [number | undefined, boolean | undefined][] = []
  let path = '/v1/activity?limit=7&changes_only=true'
  for (let more = true; more; ) {
    const { data, has_more, next_cursor } = (await api.get(path, { key })).body
    seen.push(...(data ?? []).map(({ action }) => action))
    sizes.push([data?.length, has_more])
    more = has_more ?? false
    path = `/v1/activity?limit=7&changes_only=true&starting_after=${next_cursor}`
  }

  // Creating the partner and its key adds two older entries.
  expect(sizes.slice(0, 3)).toEqual([
    [7, true],
    [7, true],
    [7, true],
  ])
  expect(sizes.at(-1)?.[1]).toBe(false)
  expect(seen.filter((action) => String(action).startsWith('call.'))).toEqual(
    entries.map(({ action }) => action).toReversed(),
  )
})

test.each([
  ['limit=0', 'limit (a whole number from 1 to 200)'],
  ['limit=201', 'limit (a whole number from 1 to 200)'],
  ['starting_after=%20', 'starting_after (the next_cursor of a page of this list)'],
  ['starting_after=abc', 'starting_after (the next_cursor of a page of this list)'],
  ['starting_after=01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56', 'starting_after (the next_cursor of a page of this list)'],
])('%s is 422', async (query, error) => {
  const key = await aKey(api, await aPartner(api), 'sandbox')

  const { status, body } = await api.get(`/v1/activity?${query}`, { key })

  expect([status, body.error?.details]).toEqual([422, { errors: [error] }])
})

test('without a limit, the latest 200 entries are returned and has_more is true', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'live')
  const entry = { partnerId: partner.id, environment: null, changes: 'nothing', status: 200, madeBy: 'x' } as const
  const entries = Array.from({ length: 250 }, (_, n) => ({
    ...entry,
    at: new Date(Date.UTC(2026, 10, 17, 0, 0, n)),
    action: `call.${n}`,
    detail: null,
    requestId: null,
  }))
  await recordActivity(api.db, entries)

  const { data, has_more, next_cursor } = await activityOf(key)
  const older = await api.get(`/v1/activity?limit=200&starting_after=${next_cursor}`, { key })

  expect([data?.length, has_more]).toEqual([200, true])
  expect(older.body.data?.[0]?.['action']).toBe('call.49')
  expect([data?.[0]?.['action'], data?.at(-1)?.['action']]).toEqual(['call.249', 'call.50'])
})

test('with changes_only=true, reads never push changes off the page', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'live')
  const entry = { partnerId: partner.id, environment: null, status: 200, madeBy: 'x', detail: null, requestId: null }
  const entries = Array.from({ length: 250 }, (_, n) => ({
    ...entry,
    at: new Date(Date.UTC(2026, 10, 17, 0, 0, n)),
    action: `call.${n}`,
    changes: n === 3 || n === 7 ? ('something' as const) : ('nothing' as const),
  }))
  await recordActivity(api.db, entries)
  const actionsOf = async (query: string) =>
    (await api.get(`/v1/activity${query}`, { key })).body.data?.map(({ action }) => action)

  const [changes, all, alsoAll] = [
    await actionsOf('?changes_only=true'),
    await actionsOf(''),
    await actionsOf('?changes_only=false'),
  ]

  expect(changes?.slice(0, 2)).toEqual(['call.7', 'call.3'])
  expect(changes).toContain('partner.create')
  expect([all?.length, all?.includes('call.7'), alsoAll]).toEqual([200, false, all])
})

test.each(['yes', '', '1', 'true&changes_only=true'])('changes_only=%s is 422', async (wanted) => {
  const key = await aKey(api, await aPartner(api), 'sandbox')

  const { status, body } = await api.get(`/v1/activity?changes_only=${wanted}`, { key })

  expect([status, body.error?.details]).toEqual([422, { errors: ['changes_only (true or false)'] }])
})

test('security_only=yes is 422', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')

  const { status, body } = await api.get('/v1/activity?security_only=yes', { key })

  expect([status, body.error?.details]).toEqual([422, { errors: ['security_only (true or false)'] }])
})

test('an entry contains no part of a request’s body, query or path, and no secret', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')
  await api.post('/v1/quotes', { amount_gbp: '77.77', canary: 'canary-body' }, { key })
  await api.get('/v1/payouts?reference=canary-query', { key })
  await api.get('/v1/payouts/canary-path', { key })

  const text = JSON.stringify(await activityOf(key))

  expect(text).toContain('quote.create')
  expect(text).not.toMatch(/canary|77\.77/)
  expect(text).not.toContain(key)
})

test('a call without a valid key does not appear in any activity list', async () => {
  const partner = await aPartner(api)
  const [key, revoked] = [await aKey(api, partner, 'sandbox'), await aKey(api, partner, 'sandbox')]
  await revokeKey(api, partner, revoked)
  await api.get('/v1/compliance', { key: revoked })

  expect(JSON.stringify(await activityOf(key))).not.toContain('compliance.read')
})

test('an entry shows the amount and recipient of its payout only if the environment and the partner are the same', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'live')
  const payout = await aPayoutRow(api, partner, { environment: 'live', recipientName: 'Ada Lovelace' })
  const foreign = await aPayoutRow(api, await aPartner(api), { environment: 'live' })
  const entry = { ...anEntry(partner.id, 1, 1), action: 'payout.create' }
  await recordActivity(api.db, [
    { ...entry, environment: 'live', detail: payout.id },
    { ...entry, environment: 'sandbox', detail: payout.id },
    { ...entry, environment: 'live', detail: foreign.id },
    { ...entry, environment: 'live', detail: 'invalid_recipient', status: 422 },
    { ...entry, environment: 'live', detail: payout.id, action: 'key.create' },
  ])

  const { data } = await activityOf(key)

  const shown = { id: payout.id, amount_gbp: '120.00', recipient: { name: 'Ada Lovelace', account_last4: '5678' } }
  expect(data?.slice(0, 5).map((each) => each['payout'])).toEqual([null, null, null, null, shown])
})

test('created_after is inclusive, created_before is exclusive, and id selects one entry', async () => {
  const partner = await aPartner(api)
  const [key, sandbox] = [await aKey(api, partner, 'live'), await aKey(api, partner, 'sandbox')]
  await recordActivity(
    api.db,
    [1, 2, 3].map((second) => anEntry(partner.id, second, second)),
  )
  const actions = async (query: string, by = key) =>
    (await api.get(`/v1/activity?changes_only=true&${query}`, { key: by })).body.data?.map(({ action }) => action)
  const range = 'created_after=2026-11-17T00:00:02Z&created_before=2026-11-17T00:00:03Z'

  expect(await actions('created_after=2026-11-17T00:00:02Z')).toEqual(['call.3', 'call.2'])
  expect(await actions(range)).toEqual(['call.2'])
  const { body } = await api.get(`/v1/activity?${range}`, { key })
  const id = String(body.data?.[0]?.['id'])
  expect(await actions(`id=${id}`)).toEqual(['call.2'])
  // The entry is about the account, which a sandbox key must not see.
  expect(await actions(`id=${id}`, sandbox)).toEqual([])
  expect(await actions(`id=${id}`, await aKey(api, await aPartner(api), 'live'))).toEqual([])
})

test.each(['id=nonsense', 'id=', 'created_after=yesterday', 'created_before=2026-11-17'])(
  '%s is 422',
  async (query) => {
    const key = await aKey(api, await aPartner(api), 'sandbox')

    const { status, body } = await api.get(`/v1/activity?${query}`, { key })

    expect([status, body.error?.code]).toEqual([422, 'invalid_request'])
  },
)
