// Sessions of signed-in members. The database stores only a hash of the random token. Authenticating a request needs
// one SELECT.
import { createHash, randomBytes } from 'node:crypto'
import type { Environment } from '../../domain/environment'
import type { MemberRole } from '../../domain/partners/partner'
import { bytes, entity, id, idOf, orNull, text, time } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import { maySignIn } from '../partners/members'
import { sql } from '../sql'
import type { CallerRow, PersonCaller } from './callers'

interface SessionRow {
  readonly id: string
  readonly memberId: string
  readonly tokenDigest: Buffer
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly expiresAt: Date
  readonly revokedAt: Date | null
  readonly device: string | null
}

export const session = entity<SessionRow>('Session', 'sessions', {
  id,
  memberId: idOf('Member'),
  tokenDigest: bytes,
  createdAt: time,
  lastUsedAt: time,
  expiresAt: time,
  revokedAt: orNull(time),
  device: orNull(text),
})

/**
 * Returns null if the member was removed. Only the result contains the token. A plain hash suffices for 256 random
 * bits, so no secret key is needed. Records the login first, because that waits for a concurrent removal of the member.
 */
export async function openSession(
  tx: Tx,
  {
    memberId,
    at,
    absoluteMs,
    device = null,
  }: { memberId: string; at: Date; absoluteMs: number; device?: string | null },
): Promise<{ readonly token: string; readonly sessionId: string } | null> {
  if (!(await noteLogin(tx, memberId, at))) return null
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(at.getTime() + absoluteMs)
  const sessionId = newId(at)
  const times = { createdAt: at, lastUsedAt: at, expiresAt, revokedAt: null }
  await tx.repo(session).insert({ id: sessionId, memberId, tokenDigest: digestOf(token), ...times, device })
  return { token, sessionId }
}

/**
 * Returns null if the session is unknown or has ended, or if its member was removed or may no longer sign in. The role
 * is the member's current one.
 */
export async function findPerson(
  db: Queryable,
  { token, environment, at, idleMs }: { token: string; environment: Environment; at: Date; idleMs: number },
): Promise<{ readonly caller: PersonCaller; readonly lastUsedAt: Date } | null> {
  const [row] = await db.sql<PersonRow>`SELECT s.id AS session_id, s.last_used_at, m.id AS member_id, m.email, m.role,
      p.id AS partner_id, p.slug AS partner_slug, p.status AS partner_status, p.verification_status,
      CASE ${environment}::text WHEN 'live' THEN p.rate_limit_live ELSE p.rate_limit_sandbox END AS rate_limit
    FROM sessions s JOIN members m ON m.id = s.member_id JOIN partners p ON p.id = m.partner_id
    WHERE s.token_digest = ${digestOf(token)} AND ${isOpen(at, idleMs)}`
  if (row === undefined) return null
  const { sessionId, memberId, email, role, lastUsedAt } = row
  const { partnerId, partnerSlug, partnerStatus, verificationStatus, rateLimit } = row
  const partner = { id: partnerId, slug: partnerSlug, status: partnerStatus, verificationStatus, rateLimit }
  return { caller: { by: 'person', sessionId, memberId, email, role, environment, partner }, lastUsedAt }
}

export type OpenSession = Pick<SessionRow, 'id' | 'device' | 'createdAt' | 'lastUsedAt'>

/** Lists the person's open sessions across all partners, most recently used first. */
export async function listSessionsOf(
  db: Queryable,
  { email, at, idleMs }: { email: string; at: Date; idleMs: number },
): Promise<OpenSession[]> {
  return db.sql<OpenSession>`SELECT s.id, s.device, s.created_at, s.last_used_at
    FROM sessions s JOIN members m ON m.id = s.member_id JOIN partners p ON p.id = m.partner_id
    WHERE m.email = ${email} AND ${isOpen(at, idleMs)} ORDER BY s.last_used_at DESC, s.id DESC`
}

/** Expects the aliases `s` for `sessions`, `m` for `members` and `p` for `partners`. */
const isOpen = (at: Date, idleMs: number) => sql`s.revoked_at IS NULL AND s.expires_at > ${at}
  AND s.last_used_at > ${new Date(at.getTime() - idleMs)} AND ${maySignIn(at)}`

/** Updates the time of last use. A late call does not move the time backwards. */
export async function touchSession(db: Queryable, sessionId: string, at: Date): Promise<void> {
  await db.sql`UPDATE sessions SET last_used_at = ${at} WHERE id = ${sessionId} AND last_used_at < ${at}`
}

export async function sessionExpiry(db: Queryable, sessionId: string): Promise<Date | null> {
  return (await db.repo(session).findOneBy({ id: sessionId }))?.expiresAt ?? null
}

/**
 * Switches the session to the same person's membership in another partner. Returns false if the membership no longer
 * exists or the session has ended.
 */
export async function switchSession(
  tx: Tx,
  { sessionId, email, memberId, at }: { sessionId: string; email: string; memberId: string; at: Date },
): Promise<boolean> {
  if (!(await noteLogin(tx, memberId, at))) return false
  return (
    (
      await tx.sql`UPDATE sessions SET member_id = m.id FROM members m
    WHERE sessions.id = ${sessionId} AND sessions.revoked_at IS NULL AND m.email = ${email} AND m.id = ${memberId}
    RETURNING sessions.id`
    ).length === 1
  )
}

/**
 * Returns false if the member was removed. Otherwise, the row lock prevents a removal until the transaction ends.
 */
async function noteLogin(tx: Tx, memberId: string, at: Date): Promise<boolean> {
  return (await tx.sql`UPDATE members SET last_login_at = ${at} WHERE id = ${memberId} RETURNING id`).length === 1
}

export async function endSession(db: Queryable, sessionId: string, at: Date): Promise<void> {
  await db.sql`UPDATE sessions SET revoked_at = ${at} WHERE id = ${sessionId} AND revoked_at IS NULL`
}

/** Ends the session whose cookie a browser sent when it signed in again. */
export async function endSessionOfToken(db: Queryable, token: string, at: Date): Promise<void> {
  await db.sql`UPDATE sessions SET revoked_at = ${at} WHERE token_digest = ${digestOf(token)} AND revoked_at IS NULL`
}

/** Returns null if the session has already ended or belongs to another person. */
export async function endSessionOf(
  tx: Tx,
  { id: sessionId, email, at }: { id: string; email: string; at: Date },
): Promise<Pick<SessionRow, 'id' | 'device'> | null> {
  const [ended] = await tx.sql<Pick<SessionRow, 'id' | 'device'>>`UPDATE sessions SET revoked_at = ${at} FROM members m
    WHERE sessions.id = ${sessionId} AND m.id = sessions.member_id AND m.email = ${email} AND sessions.revoked_at IS NULL
    RETURNING sessions.id, sessions.device`
  return ended ?? null
}

/** Ends the person's sessions across all partners, except `keptId`. Returns the number of ended sessions. */
export async function endSessionsOf(
  db: Queryable,
  email: string,
  at: Date,
  keptId: string | null = null,
): Promise<number> {
  return (
    await db.sql`UPDATE sessions SET revoked_at = ${at} FROM members m
    WHERE m.id = sessions.member_id AND m.email = ${email} AND sessions.id IS DISTINCT FROM ${keptId}::uuid
      AND sessions.revoked_at IS NULL
    RETURNING sessions.id`
  ).length
}

/** Ends all sessions of the partner's members and returns the number of ended sessions. */
export async function endSessionsOfPartner(tx: Tx, partnerId: string, at: Date): Promise<number> {
  return (
    await tx.sql`UPDATE sessions SET revoked_at = ${at} FROM members m
    WHERE m.id = sessions.member_id AND m.partner_id = ${partnerId} AND sessions.revoked_at IS NULL RETURNING sessions.id`
  ).length
}

export async function deleteExpiredSessions(db: Queryable, before: Date): Promise<void> {
  await db.sql`DELETE FROM sessions WHERE expires_at < ${before}`
}

interface PersonRow extends Omit<CallerRow, 'keyId' | 'keyPrefix' | 'keyEnvironment'> {
  readonly sessionId: string
  readonly memberId: string
  readonly email: string
  readonly role: MemberRole
  readonly lastUsedAt: Date
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
