// API keys (§5): at most five unrevoked ones per environment, known to the database only by a keyed hash.
import { assert } from '../../domain/assert'
import type { Environment } from '../../domain/environment'
import { keysPerEnvironment } from '../../domain/limits'
import type { PartnerStatus, VerificationStatus } from '../../domain/partners/partner'
import type { Queryable, Statement, Tx } from '../database'
import { newId } from '../id'
import type { Keyring } from '../keyring'
import type { Page } from '../payouts/payouts'
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

export interface NewApiKey {
  readonly partnerId: string
  readonly environment: Environment
  readonly label: string | null
  readonly createdBy: string
  readonly at: Date
  readonly keyring: Keyring
}

export type CreatedApiKey =
  | { readonly outcome: 'created'; readonly key: ApiKeyRow; readonly secret: string }
  | { readonly outcome: 'limit_reached' }
  | { readonly outcome: 'verification_required' }
  | { readonly outcome: 'partner_closed' }

/** A key is named by its id or by the prefix that lists show; a prefix is unique within its partner. */
export type KeyToRevoke = ({ readonly id: string } | { readonly prefix: string }) & {
  readonly partnerId: string
  readonly revokedBy: string
  readonly at: Date
}

export type RevokedApiKey =
  | { readonly outcome: 'revoked' | 'already_revoked'; readonly key: ApiKeyRow }
  | { readonly outcome: 'not_found' }

export interface ApiKeyUse {
  readonly keyId: string
  readonly at: Date
}

/** The secret is in the result and nowhere else. */
export async function createApiKey(tx: Tx, key: NewApiKey): Promise<CreatedApiKey> {
  const { partnerId, environment, label, createdBy, at, keyring } = key
  // Two creations at once would both count four keys; the partner's row lets them in one after the other.
  const [partner] = await tx.query<LockedPartner>(lockPartner, [partnerId])
  assert(partner !== undefined, 'a key must belong to a partner that exists')
  if (partner.status === 'closed') return { outcome: 'partner_closed' }
  if (environment === 'live' && partner.verificationStatus !== 'approved') return { outcome: 'verification_required' }

  const [unrevoked] = await tx.query<{ count: bigint }>(countUnrevoked, [partnerId, environment])
  if (unrevoked === undefined || unrevoked.count >= keysPerEnvironment) return { outcome: 'limit_reached' }

  const secret = newApiKeySecret(environment)
  const [current] = apiKeyDigests(keyring, secret)
  assert(current !== undefined, 'a keyring must hold a key')
  const values = [newId(at), partnerId, environment, prefixOf(secret), label, current.digest, current.keyId]
  const [row] = await tx.query<ApiKeyRow>(insert, [...values, createdBy, at])
  assert(row !== undefined, 'an inserted key must come back')
  return { outcome: 'created', key: row, secret }
}

/** From the commit on, findCaller no longer finds the key. */
export async function revokeApiKey(tx: Tx, key: KeyToRevoke): Promise<RevokedApiKey> {
  const name = [key.partnerId, 'id' in key ? key.id : null, 'prefix' in key ? key.prefix : null]
  const [revoked] = await tx.query<ApiKeyRow>(revoke, [...name, key.at, key.revokedBy])
  if (revoked !== undefined) return { outcome: 'revoked', key: revoked }

  const [known] = await tx.query<ApiKeyRow>(selectByName, name)
  return known === undefined ? { outcome: 'not_found' } : { outcome: 'already_revoked', key: known }
}

/** Every key that is not revoked yet; answers how many. */
export async function revokeApiKeysOf(
  tx: Tx,
  { partnerId, revokedBy, at }: { readonly partnerId: string; readonly revokedBy: string; readonly at: Date },
): Promise<number> {
  return (await tx.query(revokeAll, [partnerId, at, revokedBy])).length
}

/** Newest first, revoked ones included. */
export async function listApiKeys(db: Queryable, partnerId: string): Promise<ApiKeyRow[]> {
  return db.query<ApiKeyRow>(selectByPartner, [partnerId])
}

/** Null leaves a filter out. */
export interface ApiKeyFilters {
  readonly partnerId: string
  readonly environment: Environment | null
  readonly status: 'active' | 'revoked' | null
}

/** Newest first. The cursor must be a key that `findApiKey` finds. */
export async function listApiKeyPage(
  db: Queryable,
  { partnerId, environment, status }: ApiKeyFilters,
  { take, startingAfter }: Page,
): Promise<ApiKeyRow[]> {
  return db.query<ApiKeyRow>(selectPage, [partnerId, environment, status, take, startingAfter])
}

/** Whatever its status: a key that is revoked between two pages stays a cursor of the active ones. */
export async function findApiKey(
  db: Queryable,
  { partnerId, environment }: Pick<ApiKeyFilters, 'partnerId' | 'environment'>,
  id: string,
): Promise<ApiKeyRow | null> {
  const [row] = await db.query<ApiKeyRow>(selectOne, [id, partnerId, environment])
  return row ?? null
}

/** The secret was shown to us under an older key: from now on the current one knows it too, and the older one may go. */
export async function renewApiKeyDigest(db: Queryable, from: Buffer, to: ApiKeyDigest): Promise<void> {
  await db.query(renewDigest, [from, to.digest, to.keyId])
}

/** Many uses in one statement, so that a request costs no write. A late batch never moves a time back. Returns the keys it skipped. */
export async function recordApiKeyUse(db: Queryable, uses: readonly ApiKeyUse[]): Promise<string[]> {
  if (uses.length === 0) return []
  const values = [uses.map((use) => use.keyId), uses.map((use) => use.at)]
  return (await db.query<{ id: string }>(recordUse, values)).map(({ id }) => id)
}

const columns = `id, partner_id AS "partnerId", environment, key_prefix AS "keyPrefix", label,
  created_at AS "createdAt", last_used_at AS "lastUsedAt", revoked_at AS "revokedAt"`

interface LockedPartner {
  readonly status: PartnerStatus
  readonly verificationStatus: VerificationStatus
}

const lockPartner: Statement = {
  name: 'api-key-lock-partner',
  text: 'SELECT status, verification_status AS "verificationStatus" FROM partners WHERE id = $1 FOR NO KEY UPDATE',
}

const countUnrevoked: Statement = {
  name: 'api-key-count',
  text: 'SELECT count(*) AS count FROM api_keys WHERE partner_id = $1 AND environment = $2 AND revoked_at IS NULL',
}

const insert: Statement = {
  name: 'api-key-insert',
  text: `INSERT INTO api_keys
      (id, partner_id, environment, key_prefix, label, digest, digest_key_id, created_by, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    RETURNING ${columns}`,
}

// Comparing ids as text makes a malformed one unknown instead of an error.
const named = 'partner_id = $1 AND (id::text = $2 OR key_prefix = $3)'

const revoke: Statement = {
  name: 'api-key-revoke',
  text: `UPDATE api_keys SET revoked_at = $4, revoked_by = $5 WHERE ${named} AND revoked_at IS NULL RETURNING ${columns}`,
}

const revokeAll: Statement = {
  name: 'api-keys-revoke-all',
  text: 'UPDATE api_keys SET revoked_at = $2, revoked_by = $3 WHERE partner_id = $1 AND revoked_at IS NULL RETURNING id',
}

const selectByName: Statement = { name: 'api-key-by-name', text: `SELECT ${columns} FROM api_keys WHERE ${named}` }

const selectByPartner: Statement = {
  name: 'api-keys-by-partner',
  text: `SELECT ${columns} FROM api_keys WHERE partner_id = $1 ORDER BY created_at DESC, id DESC`,
}

const isOf = (partner: string, environment: string) =>
  `partner_id = ${partner} AND (${environment}::text IS NULL OR environment = ${environment})`

const selectPage: Statement = {
  name: 'api-keys-page',
  text: `SELECT ${columns} FROM api_keys WHERE ${isOf('$1', '$2')}
      AND ($3::text IS NULL OR ($3 = 'revoked') = (revoked_at IS NOT NULL))
      AND ($5::uuid IS NULL OR (created_at, id) < ((SELECT created_at FROM api_keys WHERE id = $5), $5))
    ORDER BY created_at DESC, id DESC LIMIT $4`,
}

const selectOne: Statement = {
  name: 'api-key-by-id',
  text: `SELECT ${columns} FROM api_keys WHERE id = $1 AND ${isOf('$2', '$3')}`,
}

const renewDigest: Statement = {
  name: 'api-key-renew-digest',
  text: 'UPDATE api_keys SET digest = $2, digest_key_id = $3 WHERE digest = $1',
}

// A key that pays is share-locked for a moment. Waiting for it would hold the keys before it, so payouts of other partners
// would wait too.
const recordUse: Statement = {
  name: 'api-key-record-use',
  text: `WITH used AS (
      SELECT id, max(at) AS at FROM unnest($1::uuid[], $2::timestamptz[]) AS each (id, at) GROUP BY id
    ), locked AS (
      SELECT k.id, used.at FROM api_keys k JOIN used ON used.id = k.id FOR NO KEY UPDATE OF k SKIP LOCKED
    ), written AS (
      UPDATE api_keys SET last_used_at = locked.at FROM locked
      WHERE api_keys.id = locked.id AND (api_keys.last_used_at IS NULL OR api_keys.last_used_at < locked.at)
    )
    SELECT id FROM used WHERE id NOT IN (SELECT id FROM locked)`,
}
