// Authentication (§5): who a request comes from, an API key or a signed-in person, and for which partner.
import type { Environment } from '../domain/environment'
import type { MemberRole, PartnerStatus, VerificationStatus } from '../domain/partner'
import type { Queryable, Statement } from './database'

export type Caller = KeyCaller | PersonCaller

export interface KeyCaller extends CallersAccount {
  readonly by: 'key'
  readonly keyId: string
  readonly keyPrefix: string
}

/** Somebody who has signed in to the dashboard (§5.9). */
export interface PersonCaller extends CallersAccount {
  readonly by: 'person'
  readonly sessionId: string
  readonly memberId: string
  readonly email: string
  readonly role: MemberRole
}

interface CallersAccount {
  /** The key's own, or what the person has asked for. */
  readonly environment: Environment
  readonly partner: {
    readonly id: string
    readonly slug: string
    readonly status: PartnerStatus
    readonly verificationStatus: VerificationStatus
    /** Requests per second in the environment; null means its default. */
    readonly rateLimit: number | null
  }
}

/** How the activity list and a payout name who made it (§2). */
export function nameOf(caller: Caller): string {
  return caller.by === 'key' ? `key:${caller.keyPrefix}` : caller.email
}

/**
 * Whether a caller sees what the account has in live: keys, activity and invoices. A sandbox key does not: it lies in tests, on
 * laptops and in build servers, so its loss must show nothing about real money.
 */
export function seesLive(caller: Caller): boolean {
  return caller.by === 'person' || caller.environment === 'live'
}

/** Null when the key is unknown or revoked. */
export async function findCaller(db: Queryable, digest: Buffer): Promise<KeyCaller | null> {
  const [row] = await db.query<CallerRow>(selectCaller, [digest])
  return row ? callerFrom(row) : null
}

/** One row of callerColumns, whatever else was selected beside them. */
export function callerFrom(row: CallerRow): KeyCaller {
  const { keyId, keyPrefix, keyEnvironment, partnerId, partnerSlug, partnerStatus, verificationStatus, rateLimit } = row
  const partner = { id: partnerId, slug: partnerSlug, status: partnerStatus, verificationStatus, rateLimit }
  return { by: 'key', keyId, keyPrefix, environment: keyEnvironment, partner }
}

export interface CallerRow {
  readonly keyId: string
  readonly keyPrefix: string
  readonly keyEnvironment: Environment
  readonly partnerId: string
  readonly partnerSlug: string
  readonly partnerStatus: PartnerStatus
  readonly verificationStatus: VerificationStatus
  readonly rateLimit: number | null
}

export const callerColumns = `k.id AS "keyId", k.key_prefix AS "keyPrefix", k.environment AS "keyEnvironment",
  p.id AS "partnerId", p.slug AS "partnerSlug", p.status AS "partnerStatus", p.verification_status AS "verificationStatus",
  CASE k.environment WHEN 'live' THEN p.rate_limit_live ELSE p.rate_limit_sandbox END AS "rateLimit"`

export const callerTables = 'api_keys k JOIN partners p ON p.id = k.partner_id'

// How long the index takes depends on a keyed hash that no caller can choose, so it tells nothing about any key.
// One digest and not a list of them: for a list of unknown length PostgreSQL would make a new plan each time.
export const isTheCaller = 'k.digest = $1 AND k.revoked_at IS NULL'

const selectCaller: Statement = {
  name: 'caller-by-digest',
  text: `SELECT ${callerColumns} FROM ${callerTables} WHERE ${isTheCaller}`,
}
