// API keys: an environment has at most five active keys, live keys need verification, and a revocation takes effect
// immediately.
import { expect, test } from '@jest/globals'
import { openKeyring } from '../../../db/keyring'
import { apiKeyDigests } from '../../../db/partners/api-key-secret'
import { createApiKey, listApiKeys, recordApiKeyUse, revokeApiKey } from '../../../db/partners/api-keys'
import { type PartnerRow, updatePartner } from '../../../db/partners/partners'
import { findCaller } from '../../../db/sign-in/callers'
import type { Environment } from '../../../domain/environment'
import { aPartner, at } from '../../support/db/a-partner'
import { useDatabase } from '../../support/db/database'

const oldKey = { id: 'k1', bytes: Buffer.alloc(32, 1) }
const newKey = { id: 'k2', bytes: Buffer.alloc(32, 2) }
const keyring = openKeyring([oldKey])

const db = useDatabase()

function create(partner: PartnerRow, environment: Environment = 'sandbox', label: string | null = null) {
  const key = { partnerId: partner.id, environment, label, createdBy: 'ops', at, keyring }
  return db.transaction((tx) => createApiKey(tx, key))
}

async function created(partner: PartnerRow, environment: Environment = 'sandbox') {
  const result = await create(partner, environment)
  if (result.outcome !== 'created') throw new Error(result.outcome)
  return result
}

async function callerOf(secret: string, ring = keyring) {
  const found = await Promise.all(apiKeyDigests(ring, secret).map(({ digest }) => findCaller(db, digest)))
  return found.find((caller) => caller !== null) ?? null
}

function revoke(partner: PartnerRow, key: { id: string } | { prefix: string }) {
  return db.transaction((tx) => revokeApiKey(tx, { ...key, partnerId: partner.id, revokedBy: 'ops', at }))
}

test('a created key identifies its partner and environment', async () => {
  const partner = await aPartner(db, { verificationStatus: 'approved', rateLimitLive: 250 })

  const { key, secret } = await created(partner, 'live')

  expect(key).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    partnerId: partner.id,
    environment: 'live',
    keyPrefix: secret.slice(0, 'kp_live_'.length + 8),
    label: null,
    createdAt: at,
    lastUsedAt: null,
    revokedAt: null,
  })
  expect(await callerOf(secret)).toEqual({
    by: 'key',
    keyId: key.id,
    keyPrefix: key.keyPrefix,
    environment: 'live',
    partner: { id: partner.id, slug: partner.slug, status: 'active', verificationStatus: 'approved', rateLimit: 250 },
  })
})

test('a caller gets the rate limit of its key’s environment', async () => {
  const partner = await aPartner(db, { rateLimitLive: 250, rateLimitSandbox: 7 })
  const { secret } = await created(partner)

  expect((await callerOf(secret))?.partner.rateLimit).toBe(7)
})

test('a suspended partner’s key still authenticates, so that the response can name the reason', async () => {
  const partner = await aPartner(db, { status: 'suspended' })
  const { secret } = await created(partner)

  expect((await callerOf(secret))?.partner.status).toBe('suspended')
})

test('an unknown key does not authenticate', async () => {
  expect(await findCaller(db, Buffer.alloc(32))).toBeNull()
})

test('a key created before a rotation of the secret key authenticates while the older key is in the keyring', async () => {
  const { key, secret } = await created(await aPartner(db))

  expect((await callerOf(secret, openKeyring([newKey, oldKey])))?.keyId).toBe(key.id)
  expect(await callerOf(secret, openKeyring([newKey]))).toBeNull()
})

test('exactly five of ten concurrent requests create a key', async () => {
  const partner = await aPartner(db)

  const results = await Promise.all(Array.from({ length: 10 }, () => create(partner)))

  const outcomes = results.map((result) => result.outcome)
  expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(5)
  expect(outcomes.filter((outcome) => outcome === 'limit_reached')).toHaveLength(5)
  expect(await listApiKeys(db, partner.id)).toHaveLength(5)
})

test('the limit applies per environment, and revoked keys do not count', async () => {
  const partner = await aPartner(db, { verificationStatus: 'approved' })
  const [first] = await Promise.all(Array.from({ length: 5 }, () => created(partner)))
  if (first === undefined) throw new Error('no key')

  expect(await create(partner)).toEqual({ outcome: 'limit_reached' })
  expect((await create(partner, 'live')).outcome).toBe('created')
  await revoke(partner, { id: first.key.id })
  expect((await create(partner)).outcome).toBe('created')
})

test('a live key can be created only after the business verification is approved', async () => {
  const partner = await aPartner(db, { verificationStatus: 'in_review' })

  expect(await create(partner, 'live')).toEqual({ outcome: 'verification_required' })
  expect((await create(partner, 'sandbox')).outcome).toBe('created')
  await db.transaction((tx) => updatePartner(tx, partner.id, { verificationStatus: 'approved' }, at))
  expect((await create(partner, 'live')).outcome).toBe('created')
})

test('a revoked key no longer authenticates, and revoking it again is reported', async () => {
  const partner = await aPartner(db)
  const { key, secret } = await created(partner)

  const revoked = await revoke(partner, { id: key.id })

  expect(revoked).toEqual({ outcome: 'revoked', key: { ...key, revokedAt: at } })
  expect(await callerOf(secret)).toBeNull()
  expect(await revoke(partner, { id: key.id })).toEqual({ outcome: 'already_revoked', key: { ...key, revokedAt: at } })
})

test('a key can be revoked by its listed prefix', async () => {
  const partner = await aPartner(db)
  const { key, secret } = await created(partner)

  expect(await revoke(partner, { prefix: key.keyPrefix })).toMatchObject({ outcome: 'revoked', key: { id: key.id } })
  expect(await callerOf(secret)).toBeNull()
})

test("another partner's key, an unknown ID and a malformed ID cannot be revoked", async () => {
  const { key, secret } = await created(await aPartner(db))
  const other = await aPartner(db)

  expect(await revoke(other, { id: key.id })).toEqual({ outcome: 'not_found' })
  expect(await revoke(other, { prefix: key.keyPrefix })).toEqual({ outcome: 'not_found' })
  expect(await revoke(other, { id: other.id })).toEqual({ outcome: 'not_found' })
  expect(await revoke(other, { id: "'; DROP TABLE api_keys; --" })).toEqual({ outcome: 'not_found' })
  expect(await callerOf(secret)).not.toBeNull()
})

test('keys are listed newest first, including revoked ones, without secrets or digests', async () => {
  const partner = await aPartner(db)
  const older = await created(partner)
  const newer = await db.transaction((tx) =>
    createApiKey(tx, {
      partnerId: partner.id,
      environment: 'sandbox',
      label: 'checkout',
      createdBy: 'ops',
      at: new Date(at.getTime() + 1),
      keyring,
    }),
  )
  await revoke(partner, { id: older.key.id })

  const list = await listApiKeys(db, partner.id)

  expect(list.map((key) => [key.label, key.revokedAt])).toEqual([
    ['checkout', null],
    [null, at],
  ])
  expect(newer.outcome).toBe('created')
  const columns = ['createdAt', 'environment', 'id', 'keyPrefix', 'label', 'lastUsedAt', 'partnerId', 'revokedAt']
  expect(Object.keys(list[0] ?? {}).toSorted()).toEqual(columns)
})

test('last_used_at is the latest use in a batch and never moves backwards', async () => {
  const partner = await aPartner(db)
  const { key } = await created(partner)
  const { key: unused } = await created(partner)
  const time = (seconds: number) => new Date(at.getTime() + seconds * 1_000)
  const lastUses = async () =>
    new Map((await listApiKeys(db, partner.id)).map(({ id, lastUsedAt }) => [id, lastUsedAt]))

  await recordApiKeyUse(db, [])
  await recordApiKeyUse(db, [
    { keyId: key.id, at: time(2) },
    { keyId: key.id, at: time(5) },
    { keyId: key.id, at: time(3) },
  ])
  await recordApiKeyUse(db, [{ keyId: key.id, at: time(4) }])

  expect((await lastUses()).get(key.id)).toEqual(time(5))
  expect((await lastUses()).get(unused.id)).toBeNull()
})

test('processes that record uses of the same keys concurrently do not deadlock', async () => {
  const partner = await aPartner(db)
  const { key: one } = await created(partner)
  const { key: two } = await created(partner)
  const uses = [one, two].map((key) => ({ keyId: key.id, at }))

  const rounds = Array.from({ length: 40 }, (_, index) =>
    recordApiKeyUse(
      db,
      (index % 2 === 0 ? uses : uses.toReversed()).map((use) => ({ ...use, at: new Date(at.getTime() + index) })),
    ),
  )

  await expect(Promise.all(rounds)).resolves.toHaveLength(40)
})

test('recording key use skips a key that a payout has locked, so that payouts with other keys do not wait', async () => {
  const { key: paying } = await created(await aPartner(db))
  const other = await aPartner(db)
  const { key } = await created(other)

  const skipped = await db.transaction(async (tx) => {
    await tx.sql`SELECT id FROM api_keys WHERE id = ${paying.id} FOR SHARE`
    return recordApiKeyUse(
      db,
      [key, paying].map(({ id }) => ({ keyId: id, at })),
    )
  })

  expect((await listApiKeys(db, other.id)).map(({ lastUsedAt }) => lastUsedAt)).toEqual([at])
  expect(skipped).toEqual([paying.id])
})

test('the database stores a keyed digest and not the secret', async () => {
  const { key, secret } = await created(await aPartner(db))

  const [row] = await db.sql<{ line: string; digest: Buffer }>`SELECT k::text AS line, digest FROM api_keys k
    WHERE id = ${key.id}`

  expect(row?.line).not.toContain(secret.slice(key.keyPrefix.length))
  expect(row?.digest).toEqual(apiKeyDigests(keyring, secret)[0]?.digest)
})
