// Sessions of signed-in people (design §6): a random token that the database knows only by its hash, one SELECT per request.
import { createHash, randomBytes } from 'node:crypto'
import type { Environment } from '../../domain/environment'
import type { MemberRole } from '../../domain/partners/partner'
import type { Queryable, Statement, Tx } from '../database'
import { newId } from '../id'
import { maySignIn } from '../partners/members'
import type { CallerRow, PersonCaller } from './callers'

export interface SessionLimits {
  /** Without a request for so long, a session is over. */
  readonly idleMs: number
  /** However busy, it is over after this. */
  readonly absoluteMs: number
}

/**
 * The token is in the result and nowhere else. 256 random bits need no secret key to be kept safe by a hash. Null when the
 * member was removed meanwhile: the login is noted first, because that waits for whoever is removing them.
 */
export async function openSession(
  tx: Tx,
  { memberId, at, absoluteMs }: { memberId: string; at: Date; absoluteMs: number },
): Promise<{ readonly token: string; readonly sessionId: string } | null> {
  if (!(await noteLogin(tx, memberId, at))) return null
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(at.getTime() + absoluteMs)
  const sessionId = newId(at)
  await tx.query(insert, [sessionId, memberId, digestOf(token), at, expiresAt])
  return { token, sessionId }
}

/** Null when there is no such session, it is over, or its member was removed or may no longer sign in. The role is the member's of this moment. */
export async function findPerson(
  db: Queryable,
  { token, environment, at, idleMs }: { token: string; environment: Environment; at: Date; idleMs: number },
): Promise<{ readonly caller: PersonCaller; readonly lastUsedAt: Date } | null> {
  const usedAfter = new Date(at.getTime() - idleMs)
  const [row] = await db.query<PersonRow>(selectPerson, [digestOf(token), at, usedAfter, environment])
  if (row === undefined) return null
  const { sessionId, memberId, email, role, lastUsedAt } = row
  const { partnerId: id, partnerSlug: slug, partnerStatus: status, verificationStatus, rateLimit } = row
  const partner = { id, slug, status, verificationStatus, rateLimit }
  return { caller: { by: 'person', sessionId, memberId, email, role, environment, partner }, lastUsedAt }
}

/** A late one never moves the time back. */
export async function touchSession(db: Queryable, sessionId: string, at: Date): Promise<void> {
  await db.query(touch, [sessionId, at])
}

export async function sessionExpiry(db: Queryable, sessionId: string): Promise<Date | null> {
  const [row] = await db.query<{ expiresAt: Date }>(selectExpiry, [sessionId])
  return row?.expiresAt ?? null
}

/** To the same person's place at another partner; false where it is not theirs any more, or the session is over. */
export async function switchSession(
  tx: Tx,
  { sessionId, email, memberId, at }: { sessionId: string; email: string; memberId: string; at: Date },
): Promise<boolean> {
  if (!(await noteLogin(tx, memberId, at))) return false
  return (await tx.query(switchTo, [sessionId, email, memberId])).length === 1
}

/** False when there is no such member any more; otherwise nobody removes them before this transaction is over. */
async function noteLogin(tx: Tx, memberId: string, at: Date): Promise<boolean> {
  return (await tx.query(login, [memberId, at])).length === 1
}

export async function endSession(db: Queryable, sessionId: string, at: Date): Promise<void> {
  await db.query(end, [sessionId, at])
}

/** For a sign-in that comes with an older session's cookie: it gets a new token, and the old one opens nothing any more. */
export async function endSessionOfToken(db: Queryable, token: string, at: Date): Promise<void> {
  await db.query(endByToken, [digestOf(token), at])
}

/** Everywhere, at every partner. */
export async function endSessionsOf(db: Queryable, email: string, at: Date): Promise<void> {
  await db.query(endByEmail, [email, at])
}

/** Of everyone who is signed in to the partner; answers how many. */
export async function endSessionsOfPartner(tx: Tx, partnerId: string, at: Date): Promise<number> {
  return (await tx.query(endByPartner, [partnerId, at])).length
}

export async function forgetSessions(db: Queryable, before: Date): Promise<void> {
  await db.query(forget, [before])
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

const insert: Statement = {
  name: 'session-insert',
  text: `INSERT INTO sessions (id, member_id, token_digest, created_at, last_used_at, expires_at)
    VALUES ($1, $2, $3, $4, $4, $5)`,
}

const login: Statement = {
  name: 'member-login',
  text: 'UPDATE members SET last_login_at = $2 WHERE id = $1 RETURNING id',
}

const selectPerson: Statement = {
  name: 'person-by-token',
  text: `SELECT s.id AS "sessionId", s.last_used_at AS "lastUsedAt", m.id AS "memberId", m.email, m.role,
      p.id AS "partnerId", p.slug AS "partnerSlug", p.status AS "partnerStatus",
      p.verification_status AS "verificationStatus",
      CASE $4::text WHEN 'live' THEN p.rate_limit_live ELSE p.rate_limit_sandbox END AS "rateLimit"
    FROM sessions s JOIN members m ON m.id = s.member_id JOIN partners p ON p.id = m.partner_id
    WHERE s.token_digest = $1 AND s.revoked_at IS NULL AND s.expires_at > $2 AND s.last_used_at > $3
      AND ${maySignIn('$2')}`,
}

const touch: Statement = {
  name: 'session-touch',
  text: 'UPDATE sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2',
}

const selectExpiry: Statement = {
  name: 'session-expiry',
  text: 'SELECT expires_at AS "expiresAt" FROM sessions WHERE id = $1',
}

const switchTo: Statement = {
  name: 'session-switch',
  text: `UPDATE sessions SET member_id = m.id FROM members m
    WHERE sessions.id = $1 AND sessions.revoked_at IS NULL AND m.email = $2 AND m.id = $3
    RETURNING sessions.id`,
}

const end: Statement = {
  name: 'session-end',
  text: 'UPDATE sessions SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL',
}

const endByToken: Statement = {
  name: 'session-end-by-token',
  text: 'UPDATE sessions SET revoked_at = $2 WHERE token_digest = $1 AND revoked_at IS NULL',
}

const endByEmail: Statement = {
  name: 'session-end-by-email',
  text: `UPDATE sessions SET revoked_at = $2 FROM members m
    WHERE m.id = sessions.member_id AND m.email = $1 AND sessions.revoked_at IS NULL`,
}

const endByPartner: Statement = {
  name: 'session-end-by-partner',
  text: `UPDATE sessions SET revoked_at = $2 FROM members m
    WHERE m.id = sessions.member_id AND m.partner_id = $1 AND sessions.revoked_at IS NULL RETURNING sessions.id`,
}

const forget: Statement = { name: 'sessions-forget', text: 'DELETE FROM sessions WHERE expires_at < $1' }
