// API keys. A partner has at most five active keys per environment. The database stores only a keyed hash of each.
import { assert } from '../../domain/assert'
import type { Environment } from '../../domain/environment'
import { keysPerEnvironment } from '../../domain/limits'
import type { PartnerStatus, VerificationStatus } from '../../domain/partners/partner'
import { bytes, entity, id, idOf, orNull, text, time } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import type { Keyring } from '../keyring'
import type { Page } from '../payouts/payouts'
import { joined, type Sql, sql } from '../sql'
import { type ApiKeyDigest, apiKeyDigests, newApiKeySecret, prefixOf } from './api-key-secret'

export interface ApiKeyRow {
  readonly id: string
  readonly partnerId: string
  readonly environment: Environment
  readonly keyPrefix: string
  readonly label: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

interface StoredApiKey extends ApiKeyRow {
  readonly digest: Buffer
  readonly digestKeyId: string
  readonly createdBy: string
  readonly revokedBy: string | null
}

export const apiKey = entity<StoredApiKey>('ApiKey', 'api_keys', {
  id,
  partnerId: idOf('Partner'),
  environment: text,
  keyPrefix: text,
  label: orNull(text),
  digest: bytes,
  digestKeyId: text,
  createdBy: text,
  createdAt: time,
  lastUsedAt: orNull(time),
  revokedAt: orNull(time),
  revokedBy: orNull(text),
})

interface NewApiKey {
  readonly partnerId: string
  readonly environment: Environment
  readonly label: string | null
  readonly createdBy: string
  readonly at: Date
  readonly keyring: Keyring
}

type CreatedApiKey =
  | { readonly outcome: 'created'; readonly key: ApiKeyRow; readonly secret: string }
  | { readonly outcome: 'limit_reached' }
  | { readonly outcome: 'verification_required' }
  | { readonly outcome: 'partner_closed' }

/** Identifies a key by its ID or by the prefix that lists show. A partner's prefixes are unique. */
type KeyToRevoke = ({ readonly id: string } | { readonly prefix: string }) & {
  readonly partnerId: string
  readonly revokedBy: string
  readonly at: Date
}

type RevokedApiKey =
  | { readonly outcome: 'revoked' | 'already_revoked'; readonly key: ApiKeyRow }
  | { readonly outcome: 'not_found' }

export interface ApiKeyUse {
  readonly keyId: string
  readonly at: Date
}

/** Creates a key. Only the result contains the secret. */
export async function createApiKey(tx: Tx, wanted: NewApiKey): Promise<CreatedApiKey> {
  const { partnerId, environment, label, createdBy, at, keyring } = wanted
  // The row lock serializes creations. Without it, two concurrent creations could both count four keys.
  const [partner] =
    await tx.sql<LockedPartner>`SELECT status, verification_status FROM partners WHERE id = ${partnerId} FOR NO KEY UPDATE`
  assert(partner !== undefined, 'the partner of a new key must exist')
  if (partner.status === 'closed') return { outcome: 'partner_closed' }
  if (environment === 'live' && partner.verificationStatus !== 'approved') return { outcome: 'verification_required' }

  const [unrevoked] = await tx.sql<{
    count: bigint
  }>`SELECT count(*) AS count FROM api_keys WHERE partner_id = ${partnerId} AND environment = ${environment} AND revoked_at IS NULL`
  if (unrevoked === undefined || unrevoked.count >= keysPerEnvironment) return { outcome: 'limit_reached' }

  const secret = newApiKeySecret(environment)
  const [current] = apiKeyDigests(keyring, secret)
  assert(current !== undefined, 'a keyring must hold a key')
  const key = {
    id: newId(at),
    partnerId,
    environment,
    keyPrefix: prefixOf(secret),
    label,
    createdAt: at,
    lastUsedAt: null,
    revokedAt: null,
  }
  const { digest, keyId: digestKeyId } = current
  await tx.repo(apiKey).insert({ ...key, digest, digestKeyId, createdBy, revokedBy: null })
  return { outcome: 'created', key, secret }
}

/** After the transaction commits, `findCaller` no longer finds the key. */
export async function revokeApiKey(tx: Tx, key: KeyToRevoke): Promise<RevokedApiKey> {
  // Compares IDs as text, so that a malformed ID counts as unknown instead of causing an error.
  const isNamed = 'id' in key ? sql`id::text = ${key.id}` : sql`key_prefix = ${key.prefix}`
  const named = sql`partner_id = ${key.partnerId} AND ${isNamed}`
  const [revoked] = await tx.sql<ApiKeyRow>`UPDATE api_keys SET revoked_at = ${key.at}, revoked_by = ${key.revokedBy}
    WHERE ${named} AND revoked_at IS NULL RETURNING ${columns}`
  if (revoked !== undefined) return { outcome: 'revoked', key: revoked }

  const [known] = await tx.sql<ApiKeyRow>`SELECT ${columns} FROM api_keys WHERE ${named}`
  return known === undefined ? { outcome: 'not_found' } : { outcome: 'already_revoked', key: known }
}

/** Revokes all active keys of the partner and returns the number of revoked keys. */
export async function revokeApiKeysOf(
  tx: Tx,
  { partnerId, revokedBy, at }: { readonly partnerId: string; readonly revokedBy: string; readonly at: Date },
): Promise<number> {
  const revoked = await tx.sql`UPDATE api_keys SET revoked_at = ${at}, revoked_by = ${revokedBy}
    WHERE partner_id = ${partnerId} AND revoked_at IS NULL RETURNING id`
  return revoked.length
}

/** Lists the keys newest first, including revoked ones. */
export async function listApiKeys(db: Queryable, partnerId: string): Promise<ApiKeyRow[]> {
  return db.sql<ApiKeyRow>`SELECT ${columns} FROM api_keys WHERE partner_id = ${partnerId} ORDER BY created_at DESC, id DESC`
}

/** A null filter matches every key. */
interface ApiKeyFilters {
  readonly partnerId: string
  readonly environment: Environment | null
  readonly status: 'active' | 'revoked' | null
}

/** Lists the keys newest first. `startingAfter` must be a key that `findApiKey` finds. */
export async function listApiKeyPage(
  db: Queryable,
  { partnerId, environment, status }: ApiKeyFilters,
  { take, startingAfter }: Page,
): Promise<ApiKeyRow[]> {
  const conditions = [
    ...isOf({ partnerId, environment }),
    ...(status === null ? [] : [status === 'revoked' ? sql`revoked_at IS NOT NULL` : sql`revoked_at IS NULL`]),
    ...(startingAfter === null
      ? []
      : [sql`(created_at, id) < ((SELECT created_at FROM api_keys WHERE id = ${startingAfter}), ${startingAfter})`]),
  ]
  return db.sql<ApiKeyRow>`SELECT ${columns} FROM api_keys WHERE ${joined(conditions, ' AND ')}
    ORDER BY created_at DESC, id DESC LIMIT ${take}`
}

/** Also finds revoked keys, so that a key that is revoked between two page requests remains a valid cursor. */
export async function findApiKey(
  db: Queryable,
  { partnerId, environment }: Pick<ApiKeyFilters, 'partnerId' | 'environment'>,
  id: string,
): Promise<ApiKeyRow | null> {
  const conditions = [sql`id = ${id}`, ...isOf({ partnerId, environment })]
  const [row] = await db.sql<ApiKeyRow>`SELECT ${columns} FROM api_keys WHERE ${joined(conditions, ' AND ')}`
  return row ?? null
}

/** Replaces a digest under an older secret key with one under the current key, so that the older key can be removed. */
export async function renewApiKeyDigest(db: Queryable, from: Buffer, to: ApiKeyDigest): Promise<void> {
  await db.sql`UPDATE api_keys SET digest = ${to.digest}, digest_key_id = ${to.keyId} WHERE digest = ${from}`
}

/**
 * Records many uses in one statement, so that a request needs no write of its own. Never moves a time backwards.
 * Returns the IDs of the keys it skipped.
 */
export async function recordApiKeyUse(db: Queryable, uses: readonly ApiKeyUse[]): Promise<string[]> {
  if (uses.length === 0) return []
  // Creating a payout briefly takes a share lock on its API key. If this statement waited for that lock, it would hold
  // its locks on other keys, so other partners' payouts would also have to wait.
  const skipped = await db.sql<{ id: string }>`WITH used AS (
      SELECT id, max(at) AS at
      FROM unnest(${uses.map(({ keyId }) => keyId)}::uuid[], ${uses.map(({ at }) => at)}::timestamptz[]) AS each (id, at)
      GROUP BY id
    ), locked AS (
      SELECT k.id, used.at FROM api_keys k JOIN used ON used.id = k.id FOR NO KEY UPDATE OF k SKIP LOCKED
    ), written AS (
      UPDATE api_keys SET last_used_at = locked.at FROM locked
      WHERE api_keys.id = locked.id AND (api_keys.last_used_at IS NULL OR api_keys.last_used_at < locked.at)
    )
    SELECT id FROM used WHERE id NOT IN (SELECT id FROM locked)`
  return skipped.map(({ id }) => id)
}

const columns = sql`id, partner_id, environment, key_prefix, label, created_at, last_used_at, revoked_at`

const isOf = ({ partnerId, environment }: Pick<ApiKeyFilters, 'partnerId' | 'environment'>): Sql[] => [
  sql`partner_id = ${partnerId}`,
  ...(environment === null ? [] : [sql`environment = ${environment}`]),
]

interface LockedPartner {
  readonly status: PartnerStatus
  readonly verificationStatus: VerificationStatus
}
