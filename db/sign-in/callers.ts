// Authenticates a request: finds its caller, an API key or a signed-in member, and the caller's partner.
import type { Environment } from '../../domain/environment'
import type { MemberRole, PartnerStatus, VerificationStatus } from '../../domain/partners/partner'
import type { Queryable } from '../database'
import { sql } from '../sql'

export type Caller = KeyCaller | PersonCaller

interface KeyCaller extends CallersAccount {
  readonly by: 'key'
  readonly keyId: string
  readonly keyPrefix: string
}

/** A member who is signed in to the dashboard. */
export interface PersonCaller extends CallersAccount {
  readonly by: 'person'
  readonly sessionId: string
  readonly memberId: string
  readonly email: string
  readonly role: MemberRole
}

interface CallersAccount {
  /** The environment of the API key, or the environment that the signed-in member requested. */
  readonly environment: Environment
  readonly partner: {
    readonly id: string
    readonly slug: string
    readonly status: PartnerStatus
    readonly verificationStatus: VerificationStatus
    /** Requests per second in the environment. Null means the environment's default. */
    readonly rateLimit: number | null
  }
}

/** Returns the caller's name for the activity list and for payouts. */
export function nameOf(caller: Caller): string {
  return caller.by === 'key' ? `key:${caller.keyPrefix}` : caller.email
}

/** Replaces operators' names in the text with `service`, because the names are internal. */
export function withoutOperators(text: string): string {
  return text.replaceAll(/\bops:[^\s,]+/g, 'service')
}

/**
 * Returns whether the caller may see the account's live keys, activity and invoices. A sandbox key may see none of
 * them: sandbox keys are used in tests, on laptops and on build servers, and a leaked one must reveal nothing about
 * real money.
 */
export function seesLive(caller: Caller): boolean {
  return caller.by === 'person' || caller.environment === 'live'
}

/** Returns null if the key is unknown or revoked. */
export async function findCaller(db: Queryable, digest: Buffer): Promise<KeyCaller | null> {
  const [row] =
    await db.sql<CallerRow>`SELECT ${callerFields} FROM ${keysWithPartner} WHERE ${isActiveKeyWithDigest(digest)}`
  return row ? callerFrom(row) : null
}

/** Converts a row with the columns of `callerFields`. Ignores other columns. */
export function callerFrom(row: CallerRow): KeyCaller {
  const { keyId, keyPrefix, keyEnvironment, partnerId, partnerSlug, partnerStatus, verificationStatus, rateLimit } = row
  const partner = { id: partnerId, slug: partnerSlug, status: partnerStatus, verificationStatus, rateLimit }
  return { by: 'key', keyId, keyPrefix, environment: keyEnvironment, partner }
}

/**
 * Locks and returns the caller in its current state. Returns null if the key is revoked, the session has ended or the
 * member was removed. The locks prevent such a change until the transaction ends. They are always taken in the same
 * order, partner first, so that two callers cannot deadlock.
 */
export async function holdCaller(db: Queryable, caller: Caller): Promise<Caller | null> {
  const { partner } = caller
  if (caller.by === 'key') {
    const [row] = await db.sql<HeldPartner>`WITH ${holdKey(partner.id, caller.keyId)}
      SELECT status, verification_status FROM partner, held_key`
    return row ? { ...caller, partner: { ...partner, ...row } } : null
  }
  // Writes by members lock the partner exclusively. Many of them change the partner's row or members, and two such
  // writes with shared locks would deadlock.
  const [row] = await db.sql<HeldPartner & Pick<PersonCaller, 'role' | 'memberId'>>`WITH partner AS (
      SELECT id, status, verification_status FROM partners WHERE id = ${partner.id} FOR NO KEY UPDATE
    ), member AS (
      SELECT id, role FROM members WHERE id = ${caller.memberId} AND partner_id = (SELECT id FROM partner) FOR SHARE
    ), session AS (
      SELECT member_id FROM sessions WHERE id = ${caller.sessionId} AND revoked_at IS NULL AND (SELECT id FROM member) IS NOT NULL FOR SHARE
    )
    SELECT status, verification_status, role, member_id FROM partner, member, session`
  if (row === undefined) return null
  const { role, memberId, ...status } = row
  return { ...caller, role, memberId, partner: { ...partner, ...status } }
}

type HeldPartner = Pick<Caller['partner'], 'status' | 'verificationStatus'>

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

/** The aliases are in camelCase, because some statements return a row as JSON, whose keys are not converted. */
export const callerFields = sql`k.id AS "keyId", k.key_prefix AS "keyPrefix", k.environment AS "keyEnvironment",
  p.id AS "partnerId", p.slug AS "partnerSlug", p.status AS "partnerStatus", p.verification_status AS "verificationStatus",
  CASE k.environment WHEN 'live' THEN p.rate_limit_live ELSE p.rate_limit_sandbox END AS "rateLimit"`

export const keysWithPartner = sql`api_keys k JOIN partners p ON p.id = k.partner_id`

/**
 * The lookup time depends on a keyed hash that no caller can choose, so it reveals nothing about any key. Accepts a
 * single digest rather than a list, because PostgreSQL would replan a list of unknown length each time.
 */
export const isActiveKeyWithDigest = (digest: Buffer) => sql`k.digest = ${digest} AND k.revoked_at IS NULL`

/**
 * Builds two CTEs, `partner` and `held_key`. The condition on `partner_id` makes PostgreSQL lock the partner before
 * the key. Suspending or closing a partner takes a FOR UPDATE lock, which waits for this KEY SHARE lock.
 */
export const holdKey = (partnerId: string, keyId: string | null) => sql`partner AS (
      SELECT id, status, verification_status FROM partners WHERE id = ${partnerId} FOR KEY SHARE
    ), held_key AS (
      SELECT id FROM api_keys
      WHERE id = ${keyId} AND partner_id = (SELECT id FROM partner) AND revoked_at IS NULL FOR SHARE
    )`
