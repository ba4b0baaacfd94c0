// GET /v1/keys lists the partner's keys in pages, without their secrets. A sandbox key sees sandbox keys
// only.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createApiKey } from '../../../db/partners/api-keys'
import type { PartnerRow } from '../../../db/partners/partners'
import type { Environment } from '../../../domain/environment'
import { testKeyring, useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aSession, revokeKey } from '../../support/api/fixtures'

const clock = aClock('2026-11-16T12:00:00Z')
const api = useApi({ clock })

test('a live key sees all keys of the partner, newest first, including revoked and sandbox keys', async () => {
  const partner = await aPartner(api)
  await aKey(api, await aPartner(api), 'sandbox')
  clock.set('2026-11-16T12:00:00Z')
  const sandbox = await aKey(api, partner, 'sandbox')
  clock.set('2026-11-16T12:01:00Z')
  const live = await aKey(api, partner, 'live')
  clock.set('2026-11-16T12:02:00Z')
  await revokeKey(api, partner, sandbox)

  const { status, body } = await api.get('/v1/keys', { key: live })

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
        revoked_at: null,
      },
      {
        id: expect.any(String),
        environment: 'sandbox',
        key_prefix: sandbox.slice(0, 'kp_sandbox_'.length + 8),
        label: 'test',
        created_at: '2026-11-16T12:00:00.000Z',
        last_used_at: null,
        revoked_at: '2026-11-16T12:02:00.000Z',
      },
    ],
    has_more: false,
    next_cursor: null,
  })
})

test('a sandbox key sees sandbox keys only, even through a cursor', async () => {
  const partner = await aPartner(api)
  const [sandbox, live] = [await aLaterKey(partner, 'sandbox'), await aLaterKey(partner, 'live')]
  const idOf = async (key: string) => (await api.get('/v1/keys?limit=1', { key })).body.data?.[0]?.['id']

  const { body } = await api.get('/v1/keys?environment=live', { key: sandbox })
  const byCursor = await api.get(`/v1/keys?starting_after=${String(await idOf(live))}`, { key: sandbox })

  expect(body.data?.map(({ key_prefix }) => key_prefix)).toEqual([sandbox.slice(0, 'kp_sandbox_'.length + 8)])
  expect(byCursor.status).toBe(422)
})

test('pages show all keys, each once, and members can filter by environment and status', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  const made: string[] = []
  for (let count = 0; count < 7; count++) {
    const key = await aLaterKey(partner, count % 2 === 0 ? 'sandbox' : 'live')
    made.unshift(key.slice(0, key.lastIndexOf('_') + 9))
    if (count < 4) await revokeKey(api, partner, key)
  }
  const prefixesOf = async (query: string) => {
    const { data = [] } = (await api.get(`/v1/keys?${query}`, { session })).body
    return data.map(({ key_prefix }) => key_prefix)
  }

  const seen: unknown[] = []
  let path = '/v1/keys?limit=3'
  for (let more = true; more; ) {
    const { data, has_more, next_cursor } = (await api.get(path, { session })).body
    seen.push(...(data ?? []).map(({ key_prefix }) => key_prefix))
    more = has_more ?? false
    path = `/v1/keys?limit=3&starting_after=${next_cursor}`
  }

  expect(seen).toEqual(made)
  expect(await prefixesOf('environment=live')).toEqual(made.filter((prefix) => prefix.startsWith('kp_live_')))
  expect(await prefixesOf('status=active')).toEqual(made.slice(0, 3))
  expect(await prefixesOf('status=revoked')).toEqual(made.slice(3))
})

test('a key that is revoked between two pages still works as a cursor', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  const older = await aLaterKey(partner, 'sandbox')
  const newer = await aLaterKey(partner, 'sandbox')

  const first = (await api.get('/v1/keys?status=active&limit=1', { session })).body
  await revokeKey(api, partner, newer)
  const second = (await api.get(`/v1/keys?status=active&limit=1&starting_after=${first.next_cursor}`, { session })).body

  expect(second.data?.map(({ key_prefix }) => key_prefix)).toEqual([older.slice(0, 'kp_sandbox_'.length + 8)])
})

test.each([
  ['limit=0', 'limit (a whole number from 1 to 200)'],
  ['status=lost', 'status (active or revoked)'],
  [`starting_after=${randomUUID()}`, 'starting_after (the next_cursor of a page of this list)'],
])('%s is 422', async (query, error) => {
  const key = await aKey(api, await aPartner(api), 'sandbox')

  const { status, body } = await api.get(`/v1/keys?${query}`, { key })

  expect([status, body.error?.details]).toEqual([422, { errors: [error] }])
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

test('the response contains no secret, no digest and no more than eight digits of a key', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')

  const text = JSON.stringify((await api.get('/v1/keys', { key })).body)

  expect(text).not.toContain(key.slice(0, 'kp_sandbox_'.length + 9))
  expect(text).not.toMatch(/digest|secret/)
})

test('a live key cannot exist before verification is approved', async () => {
  const partner = await aPartner(api, { verificationStatus: 'in_review' })
  const wanted = { partnerId: partner.id, environment: 'live' as const, label: null, createdBy: 'ops:test' }

  const created = await api.db.transaction((tx) =>
    createApiKey(tx, { ...wanted, at: clock.now(), keyring: testKeyring }),
  )

  expect(created).toEqual({ outcome: 'verification_required' })
})

test('an API key that was hashed with an older secret key still works', async () => {
  const partner = await aPartner(api)
  const older = { ...testKeyring, all: () => testKeyring.all('api-key').slice(1) }
  const wanted = { partnerId: partner.id, environment: 'sandbox' as const, label: null, createdBy: 'ops:test' }
  const created = await api.db.transaction((tx) => createApiKey(tx, { ...wanted, at: clock.now(), keyring: older }))
  if (created.outcome !== 'created') throw new Error(created.outcome)

  expect((await api.get('/v1/account', { key: created.secret })).status).toBe(200)
})

test('no call that starts after a revocation succeeds, even while other calls are in flight', async () => {
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

/** Creates a key one second after the previous one, so that their order is known. */
async function aLaterKey(partner: PartnerRow, environment: Environment): Promise<string> {
  clock.set(new Date(clock.now().getTime() + 1_000).toISOString())
  return aKey(api, partner, environment)
}
