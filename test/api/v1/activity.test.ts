// GET /v1/activity (§2, design §5): the latest 200 requests on the account, who made them, and nothing of what was in them.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordActivity } from '../../../db/activity'
import { type Api, startApi } from '../client'
import { aClock, aKey, aPartner, revokeKey } from '../fixtures'

const clock = aClock('2026-11-16T12:00:00Z')
let api: Api

beforeAll(async () => {
  api = await startApi({ clock })
})
afterAll(() => api.close())

const activityOf = async (key: string) => (await api.get('/v1/activity', { key })).body

test('a caller finds its own earlier calls at once, newest first, refused ones included', async () => {
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
  expect(data?.slice(0, 4).map(({ at, action, status }) => [at, action, status])).toEqual([
    ['2026-11-16T12:00:04.000Z', 'payout.list', 422],
    ['2026-11-16T12:00:03.000Z', 'quote.create', 422],
    ['2026-11-16T12:00:02.000Z', 'payout.read', 404],
    ['2026-11-16T12:00:01.000Z', 'account.read', 200],
  ])
  expect(data?.[1]).toEqual({
    at: '2026-11-16T12:00:03.000Z',
    environment: 'sandbox',
    action: 'quote.create',
    status: 422,
    by: `key:${key.slice(0, 'kp_sandbox_'.length + 8)}`,
    detail: null,
    request_id: refused.headers.get('X-Request-Id'),
  })
})

test('both environments and what ops did are there; other partners’ calls are not', async () => {
  const partner = await aPartner(api)
  const [sandbox, live] = [await aKey(api, partner, 'sandbox'), await aKey(api, partner, 'live')]
  const other = await aKey(api, await aPartner(api), 'sandbox')
  await api.get('/v1/usage', { key: live })
  await api.get('/v1/compliance', { key: other })

  const seen = (await activityOf(sandbox)).data?.map(({ environment, action, by }) => [environment, action, by])

  expect(seen).toContainEqual(['live', 'usage.read', `key:${live.slice(0, 'kp_live_'.length + 8)}`])
  expect(seen).toContainEqual([null, 'partner.create', 'ops:test'])
  expect(JSON.stringify(seen)).not.toContain('compliance.read')
})

test('only the latest 200 are shown', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
  const entry = { partnerId: partner.id, environment: null, changes: 'nothing', status: 200, madeBy: 'x' } as const
  const entries = Array.from({ length: 250 }, (_, n) => ({
    ...entry,
    at: new Date(Date.UTC(2026, 10, 17, 0, 0, n)),
    action: `call.${n}`,
    detail: null,
    requestId: null,
  }))
  await recordActivity(api.db, entries)

  const { data } = await activityOf(key)

  expect(data?.length).toBe(200)
  expect([data?.[0]?.['action'], data?.at(-1)?.['action']]).toEqual(['call.249', 'call.50'])
})

test('with changes_only=true reads push no change out, however many there are', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
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

test('it holds nothing of a request’s body, query or path, and no secret', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')
  await api.post('/v1/quotes', { amount_gbp: '77.77', canary: 'canary-body' }, { key })
  await api.get('/v1/payouts?reference=canary-query', { key })
  await api.get('/v1/payouts/canary-path', { key })

  const text = JSON.stringify(await activityOf(key))

  expect(text).toContain('quote.create')
  expect(text).not.toMatch(/canary|77\.77/)
  expect(text).not.toContain(key)
})

test('a call without a valid key is nobody’s activity', async () => {
  const partner = await aPartner(api)
  const [key, revoked] = [await aKey(api, partner, 'sandbox'), await aKey(api, partner, 'sandbox')]
  await revokeKey(api, partner, revoked)
  await api.get('/v1/compliance', { key: revoked })

  expect(JSON.stringify(await activityOf(key))).not.toContain('compliance.read')
})
