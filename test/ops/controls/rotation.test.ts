// A rotation of SECRET_KEYS as described in docs/operations/keys.md: k1 alone, then k2 before k1, then all data
// rewritten, then k2 alone.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Keyring, openKeyring, type Purpose } from '../../../db/keyring'
import { createApiKey } from '../../../db/partners/api-keys'
import { openRecipient } from '../../../db/payouts/recipients/sealed'
import type { SecretKey } from '../../../runtime/config/config'
import type { Answer } from '../../support/api/client'
import { aPayoutWorld, aRequest, type PayoutWorld } from '../../support/api/payout-world'
import type { Json } from '../../support/bank/client'
import { silenceTemporal } from '../../support/temporal/a-worker'
import { runWith } from '../../support/terminal'
import { until } from '../../support/until'

const k1 = { id: 'k1', bytes: Buffer.alloc(32, 0x11) }
const k2 = { id: 'k2', bytes: Buffer.alloc(32, 0x22) }

/** The API's current secret keys. */
let keys: readonly SecretKey[] = [k1]
let world: PayoutWorld
let payerId = ''
let oldKey = ''

beforeAll(async () => {
  silenceTemporal()
  world = await aPayoutWorld({
    workers: 'none',
    keyring: restartable(),
    secretKeys: [k2],
  })
  payerId = (await world.aPayer()).id
  oldKey = await aKeyUnder([k1])
})

afterAll(() => world.close())

test('after a rotation, API keys work, payouts replay and are paid, recipients are unchanged, and k1 can be removed', async () => {
  const request = aRequest()
  keys = [k1]
  const first = await pay('order-before', request)
  expect([first.status, await namedBy(first.body['id'])]).toEqual([201, ['k1', 'k1', 'k1']])

  keys = [k2, k1]
  const replayed = await pay('order-before', request)
  const other = await pay('order-before', { ...request, amount_gbp: '1.00' })
  const second = await pay('order-after', request)
  expect([replayed, other, second].map(({ status }) => status)).toEqual([200, 422, 201])
  expect(other.body.error?.details).toMatchObject({ differing_fields: ['amount_gbp'] })
  expect(await namedBy(second.body['id'])).toEqual(['k2', 'k2', 'k2'])
  expect(await recipients()).toHaveLength(2)
  expect(await states()).toMatchObject({ k1: 'needed', k2: 'current' })

  expect(await ops('reseal')).toEqual({ key: 'k2', written: 1, left: 0, notes: 0 })
  expect(await namedBy(first.body['id'])).toEqual(['k2', 'k2', 'k2'])
  expect(await recipients()).toHaveLength(1)
  expect(await states()).toMatchObject({ k1: 'may_go', k2: 'current' })
  expect(await ops('reseal')).toEqual({ key: 'k2', written: 0, left: 0, notes: 0 })

  keys = [k2]
  const again = await pay('order-before', request)
  const changed = await pay('order-before', { ...request, reference: 'Another' })
  expect([again.status, again.body['id'], changed.status]).toEqual([200, first.body['id'], 422])
  await world.startWorkers()
  for (const { body } of [first, second]) {
    await until('the payout has reached the bank', async () => (await world.transfersOf(body['id'])).length === 1)
  }
  await world.stopWorkers()
})

describe('an API key from before a rotation', () => {
  test('is rehashed with the new secret key when it is used, and works after the older one is removed', async () => {
    const secret = await aKeyUnder([k1])
    keys = [k2, k1]
    expect(await statusOf(secret)).toBe(200)

    keys = [k2]

    expect(await statusOf(secret)).toBe(200)
  })

  test('needs the older secret key until it is first used, and is refused if that secret key is removed before', async () => {
    const secret = await aKeyUnder([k1])
    keys = [k2, k1]
    expect(await states()).toMatchObject({ k1: 'needed' })

    keys = [k2]
    expect(await statusOf(secret)).toBe(401)

    keys = [k2, k1]
    expect(await statusOf(secret)).toBe(200)
  })

  test('is accepted in all concurrent calls while its hash is rewritten', async () => {
    keys = [k2, k1]
    for (let round = 1; round <= 10; round++) {
      const secret = await aKeyUnder([k1])

      const statuses = await Promise.all(Array.from({ length: 12 }, () => statusOf(secret)))

      expect(new Set(statuses)).toEqual(new Set([200]))
    }
  })

  test('stays revoked if it was revoked', async () => {
    const secret = await aKeyUnder([k1])
    await world.api.db.dataSource.query(
      'UPDATE api_keys SET revoked_at = now() WHERE partner_id = $1 AND key_prefix = $2',
      [payerId, secret.slice(0, secret.lastIndexOf('_') + 9)],
    )
    keys = [k2, k1]

    expect(await statusOf(secret)).toBe(401)
  })
})

test('after a secret key is removed too soon, a retry gets 500 until the key is restored, and then replays the payout', async () => {
  const request = aRequest()
  keys = [k1]
  const secret = await aKeyUnder([k1])
  await pay('order-too-soon', request, secret)
  keys = [k2, k1]
  expect(await statusOf(secret)).toBe(200)

  keys = [k2]
  const repeated = await pay('order-too-soon', request, secret)

  expect([repeated.status, repeated.body.error?.code]).toEqual([500, 'internal_error'])
  expect(await states()).toMatchObject({ k1: 'missing' })
  keys = [k2, k1]
  expect((await pay('order-too-soon', request, secret)).status).toBe(200)
  await ops('reseal')
})

test('a payout with erased bank details is never paid again, and its retry is refused without the old secret key', async () => {
  const request = aRequest()
  keys = [k1]
  const secret = await aKeyUnder([k1])
  const first = await pay('order-erased', request, secret)
  await world.api.db.dataSource.query('DELETE FROM sealed_recipients WHERE payout_id = $1', [first.body['id']])
  keys = [k2, k1]
  expect(await ops('reseal')).toMatchObject({ left: 0 })
  expect((await pay('order-erased', request, secret)).status).toBe(200)

  keys = [k2]
  const repeated = await pay('order-erased', request, secret)

  expect([repeated.status, repeated.body.error?.code]).toEqual([422, 'idempotency_key_reused'])
  expect(repeated.body.error?.details).toMatchObject({ payout_id: first.body['id'] })
})

function pay(key: string, request: Json, secret = oldKey): Promise<Answer> {
  return world.api.post('/v1/payouts', request, { key: secret, headers: { 'Idempotency-Key': key } })
}

async function statusOf(secret: string): Promise<number> {
  return (await world.api.get('/v1/account', { key: secret })).status
}

async function recipients(): Promise<readonly unknown[]> {
  return (await world.api.get('/v1/recipients', { key: oldKey })).body.data ?? []
}

/** The ids of the secret keys for the payout's seal, fingerprint and account hash. Asserts that the seal opens. */
async function namedBy(id: unknown): Promise<unknown[]> {
  const [row] = await world.api.db.dataSource.query(
    `SELECT s.key_id, p.fingerprint_key_id, p.account_hash_key_id
      FROM payouts p JOIN sealed_recipients s ON s.payout_id = p.id WHERE p.id = $1`,
    [id],
  )
  expect(await openRecipient(world.api.db, openKeyring(keys), String(id))).toMatchObject({ bankName: 'Barclays' })
  return Object.values(row)
}

async function states(): Promise<Record<string, string>> {
  const { data } = await ops<{ data: { key: string; state: string }[] }>('status')
  return Object.fromEntries(data.map(({ key, state }) => [key, state]))
}

async function ops<Value>(verb: 'status' | 'reseal'): Promise<Value> {
  const SECRET_KEYS = keys.map(({ id, bytes }) => `${id}:${bytes.toString('hex')}`).join(',')
  const env = { DATABASE_URL: world.api.databaseUrl, SECRET_KEYS }
  const { code, out, err } = await runWith(env, ['keyring', verb, '--json'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

async function aKeyUnder(under: readonly SecretKey[]): Promise<string> {
  const { db, clock } = world.api
  const key = { partnerId: payerId, environment: 'sandbox', label: randomUUID(), createdBy: 'ops:test' } as const
  await db.dataSource.query('UPDATE api_keys SET revoked_at = now() WHERE partner_id = $1 AND label <> $2', [
    payerId,
    'kept',
  ])
  const created = await db.transaction((tx) =>
    createApiKey(tx, {
      ...key,
      label: oldKey === '' ? 'kept' : key.label,
      at: clock.now(),
      keyring: openKeyring(under),
    }),
  )
  if (created.outcome !== 'created') throw new Error(created.outcome)
  return created.secret
}

/** Reads `keys` at each call, so that assigning `keys` simulates a restart. */
function restartable(): Keyring {
  const rings = new Map<readonly SecretKey[], Keyring>()
  const now = () => {
    const ring = rings.get(keys) ?? openKeyring(keys)
    rings.set(keys, ring)
    return ring
  }
  return {
    current: (purpose: Purpose) => now().current(purpose),
    all: (purpose: Purpose) => now().all(purpose),
    find: (purpose: Purpose, id: string) => now().find(purpose, id),
  }
}
