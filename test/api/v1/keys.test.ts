// GET /v1/keys (§2, §5): the partner's keys of both environments, without anything that opens a door.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApiKey } from '../../../db/api-keys'
import { type Api, startApi, testKeyring } from '../client'
import { aClock, aKey, aPartner, revokeKey } from '../fixtures'

const clock = aClock('2026-11-16T12:00:00Z')
let api: Api

beforeAll(async () => {
  api = await startApi({ clock })
})
afterAll(() => api.close())

test('all keys of the partner, newest first, revoked ones and the other environment’s included', async () => {
  const partner = await aPartner(api)
  await aKey(api, await aPartner(api), 'sandbox')
  clock.set('2026-11-16T12:00:00Z')
  const sandbox = await aKey(api, partner, 'sandbox')
  clock.set('2026-11-16T12:01:00Z')
  const live = await aKey(api, partner, 'live')
  clock.set('2026-11-16T12:02:00Z')
  await revokeKey(api, partner, live)

  const { status, body } = await api.get('/v1/keys', { key: sandbox })

  expect(status).toBe(200)
  expect(body).toEqual({
    object: 'list',
    data: [
      {
        id: expect.any(String),
        environment: 'live',
        key_prefix: live.slice(0, 'kp_live_'.length + 8),
        label: 'test',
        created_at: '2026-11-16T12:01:00.000Z',
        last_used_at: null,
        revoked_at: '2026-11-16T12:02:00.000Z',
      },
      {
        id: expect.any(String),
        environment: 'sandbox',
        key_prefix: sandbox.slice(0, 'kp_sandbox_'.length + 8),
        label: 'test',
        created_at: '2026-11-16T12:00:00.000Z',
        last_used_at: null,
        revoked_at: null,
      },
    ],
    has_more: false,
    next_cursor: null,
  })
})

test('last_used_at is the exact time of the last call before this one', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')
  clock.set('2026-11-16T13:00:00.123Z')
  await api.get('/v1/account', { key })
  clock.set('2026-11-16T13:00:01.456Z')
  await api.get('/v1/payouts/unknown', { key })
  clock.set('2026-11-16T13:00:02Z')

  const { body } = await api.get('/v1/keys', { key })

  expect(body.data?.[0]?.['last_used_at']).toBe('2026-11-16T13:00:01.456Z')
})

test('a secret, its digest or more than eight of its digits are nowhere in the answer', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')

  const text = JSON.stringify((await api.get('/v1/keys', { key })).body)

  expect(text).not.toContain(key.slice(0, 'kp_sandbox_'.length + 9))
  expect(text).not.toMatch(/digest|secret/)
})

test('a live key before verification is approved can not exist', async () => {
  const partner = await aPartner(api, { verificationStatus: 'in_review' })
  const wanted = { partnerId: partner.id, environment: 'live' as const, label: null, createdBy: 'ops:test' }

  const created = await api.db.transaction((tx) =>
    createApiKey(tx, { ...wanted, at: clock.now(), keyring: testKeyring }),
  )

  expect(created).toEqual({ outcome: 'verification_required' })
})

test('a key that was made under an older secret key still opens', async () => {
  const partner = await aPartner(api)
  const older = { ...testKeyring, all: () => testKeyring.all('api-key').slice(1) }
  const wanted = { partnerId: partner.id, environment: 'sandbox' as const, label: null, createdBy: 'ops:test' }
  const created = await api.db.transaction((tx) => createApiKey(tx, { ...wanted, at: clock.now(), keyring: older }))
  if (created.outcome !== 'created') throw new Error(created.outcome)

  expect((await api.get('/v1/account', { key: created.secret })).status).toBe(200)
})

test('no call that starts after a revocation succeeds, however many are under way', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'sandbox')
  const statusOf = async () => (await api.get('/v1/account', { key })).status
  const callUntilRefused = async (): Promise<void> => {
    while ((await statusOf()) === 200);
  }

  const before = await Promise.all(Array.from({ length: 8 }, statusOf))
  const callers = before.map(callUntilRefused)
  await revokeKey(api, partner, key)
  const atOnce = await Promise.all(before.map(statusOf))
  await Promise.all(callers)

  expect(new Set(before)).toEqual(new Set([200]))
  expect(new Set(atOnce)).toEqual(new Set([401]))
})
