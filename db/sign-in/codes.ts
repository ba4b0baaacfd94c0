// Emailed 6-digit codes: single use, ten minutes, at most five tries, counted by the UPDATE that judges them.
import { createHmac, randomInt } from 'node:crypto'
import { assert } from '../../domain/assert'
import { codeLastsMs, codeTries } from '../../domain/sign-in'
import type { Queryable, Statement, Tx } from '../database'
import { newId } from '../id'
import type { Keyring, PurposeKey } from '../keyring'
import { openText, type Sealed, sealText } from '../seal'

export type CodePurpose = 'sign_in' | 'sign_up' | 'confirm'

export interface NewCode {
  readonly purpose: CodePurpose
  /** An email in lower case, or for a confirm code the id of the member who asks. */
  readonly subject: string
  /** Of a confirm code what it confirms (codeBinding); of the others the browser that asked for it. */
  readonly boundTo: Buffer
  /** What a sign-up said; it is stored sealed. */
  readonly said?: Readonly<Record<string, string>>
  /** How many codes, of any purpose, a subject may ask for within any hour. */
  readonly perHour: number
  /** How many of them allow `codeTries` wrong tries; every later one allows a single try. All when left out. */
  readonly forgivingPerHour?: number
  readonly at: Date
}

export type IssuedCode =
  | { readonly outcome: 'issued'; readonly id: string; readonly code: string; readonly expiresAt: Date }
  | { readonly outcome: 'too_many'; readonly retryAt: Date }

/** The code is in the result and nowhere else. */
export async function issueCode(tx: Tx, keyring: Keyring, wanted: NewCode): Promise<IssuedCode> {
  const { purpose, subject, boundTo, said, perHour, forgivingPerHour = perHour, at } = wanted
  // The lock serializes the requests of one subject. Two at once would otherwise not count each other.
  await tx.query(lockSubject, [subject])
  const since = new Date(at.getTime() - hourMs)
  const [counted] = await tx.query<{ count: bigint; oldest: Date | null }>(countRecent, [subject, since])
  assert(counted !== undefined, 'a count is always answered')
  if (counted.count >= perHour) {
    return { outcome: 'too_many', retryAt: new Date((counted.oldest ?? at).getTime() + hourMs) }
  }

  const id = newId(at)
  const code = randomInt(1_000_000).toString().padStart(6, '0')
  const key = keyring.current('code')
  const sealed = said ? sealText(keyring, 'mail', id, JSON.stringify(said)) : null
  const expiresAt = new Date(at.getTime() + codeLastsMs)
  const digest = digestOf(key, { id, purpose, code })
  const triesSpent = counted.count < forgivingPerHour ? 0 : codeTries - 1
  const values = [id, purpose, subject, boundTo, digest, key.id, triesSpent, at, expiresAt]
  await tx.query(insert, [...values, sealed?.sealed ?? null, sealed?.keyId ?? null])
  return { outcome: 'issued', id, code, expiresAt }
}

export interface CodeToTry {
  readonly purpose: CodePurpose
  readonly subject: string
  readonly boundTo: Buffer
  readonly code: string
  /** The payout that is confirmed, so that giveCodeBack finds the code again. */
  readonly usedFor?: string
  readonly at: Date
}

export interface UsedCode {
  readonly id: string
  readonly purpose: CodePurpose
}

/**
 * Uses the newest code of this purpose for this subject, and for exactly what it is bound to. Null when it is wrong, used, expired, tried too
 * often or was never asked for: nobody is told which. A wrong try is counted, so the transaction must be committed then too.
 */
export async function tryCode(tx: Tx, keyring: Keyring, tried: CodeToTry): Promise<UsedCode | null> {
  const found = await findOpenCode(tx, tried)
  return found && useCode(tx, keyring, found, tried)
}

export interface OpenCode extends UsedCode {
  readonly keyId: string
}

/** The newest code of this purpose and binding, where it may still be tried. A flood of guesses costs one read each and no lock. */
export async function findOpenCode(
  db: Queryable,
  { purpose, subject, boundTo, at }: Omit<CodeToTry, 'code' | 'usedFor'>,
): Promise<OpenCode | null> {
  const [newest] = await db.query<OpenCode>(selectNewest, [purpose, subject, boundTo, at])
  return newest ?? null
}

/** The second half of tryCode. */
export async function useCode(
  tx: Tx,
  keyring: Keyring,
  { id, purpose, keyId }: OpenCode,
  { code, usedFor, at }: Pick<CodeToTry, 'code' | 'usedFor' | 'at'>,
): Promise<UsedCode | null> {
  const key = keyring.find('code', keyId)
  if (key === null) return null
  const digest = digestOf(key, { id, purpose, code })
  const [judged] = await tx.query<{ matches: boolean }>(judge, [id, digest, at, usedFor ?? null])
  return judged?.matches ? { id, purpose } : null
}

/** After what it was used for did not come about: until it expires it may be used again. */
export async function giveCodeBack(
  tx: Tx,
  code: { readonly id: string } | { readonly usedFor: string },
): Promise<void> {
  await tx.query(giveBack, ['id' in code ? code.id : null, 'usedFor' in code ? code.usedFor : null])
}

/** What a confirm code is bound to, as a keyed hash: an account number would be guessed from a bare one. */
export function codeBinding(keyring: Keyring, parts: Readonly<Record<string, string | null>>): Buffer {
  const written = JSON.stringify(Object.entries(parts).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return createHmac('sha256', keyring.current('code-bound').bytes).update(written).digest()
}

/** What a sign-up said; null once its partner was opened. */
export async function openSignUp(
  tx: Tx,
  keyring: Keyring,
  id: string,
): Promise<{
  readonly email: string
  readonly said: Readonly<Record<string, string>> | null
  readonly usedFor: string | null
} | null> {
  const [row] = await tx.query<{ email: string; usedFor: string | null } & Partial<Sealed>>(lockSignUp, [id])
  if (row === undefined) return null
  const { email, usedFor, keyId, sealed } = row
  const said = keyId && sealed ? JSON.parse(openText(keyring, 'mail', id, { keyId, sealed })) : null
  return { email, said, usedFor }
}

/** What it said is wiped: the partner has it now. */
export async function closeSignUp(tx: Tx, id: string, partnerId: string): Promise<void> {
  await tx.query(setOpened, [id, partnerId])
}

export async function forgetCodes(db: Queryable, before: Date): Promise<void> {
  await db.query(forget, [before])
}

const hourMs = 60 * 60 * 1000

function digestOf({ bytes }: PurposeKey, { id, purpose, code }: UsedCode & { code: string }): Buffer {
  return createHmac('sha256', bytes).update(`${id}|${purpose}|${code}`).digest()
}

const lockSubject: Statement = {
  name: 'code-lock-subject',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('code/' || $1, 0))`,
}

const countRecent: Statement = {
  name: 'code-count-recent',
  text: `SELECT count(*) AS count, min(created_at) AS oldest FROM codes
    WHERE subject = $1 AND created_at > $2`,
}

const insert: Statement = {
  name: 'code-insert',
  text: `INSERT INTO codes
      (id, purpose, subject, bound_to, digest, digest_key_id, tries, created_at, expires_at, sealed, sealed_key_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
}

const selectNewest: Statement = {
  name: 'code-newest',
  text: `SELECT id, purpose, "keyId" FROM (
      SELECT id, purpose, digest_key_id AS "keyId", used_at, tries FROM codes
      WHERE purpose = $1 AND subject = $2 AND bound_to = $3 AND expires_at > $4
      ORDER BY created_at DESC, id DESC LIMIT 1) newest
    WHERE used_at IS NULL AND tries < ${codeTries}`,
}

// The row lock orders concurrent guesses: each sees the tries of those before it, and the sixth changes nothing.
const judge: Statement = {
  name: 'code-judge',
  text: `UPDATE codes SET
      tries = tries + CASE WHEN digest = $2 THEN 0 ELSE 1 END,
      used_at = CASE WHEN digest = $2 THEN $3::timestamptz END,
      used_for = CASE WHEN digest = $2 THEN coalesce($4::uuid, used_for) ELSE used_for END
    WHERE id = $1 AND used_at IS NULL AND expires_at > $3 AND tries < ${codeTries}
    RETURNING digest = $2 AS matches`,
}

const giveBack: Statement = {
  name: 'code-give-back',
  text: `UPDATE codes SET used_at = NULL WHERE id = $1::uuid OR (used_for = $2::uuid AND purpose = 'confirm')`,
}

const lockSignUp: Statement = {
  name: 'code-lock-sign-up',
  text: `SELECT subject AS email, used_for AS "usedFor", sealed, sealed_key_id AS "keyId" FROM codes
    WHERE id = $1 AND purpose = 'sign_up' FOR UPDATE`,
}

const setOpened: Statement = {
  name: 'code-opened',
  text: 'UPDATE codes SET used_for = $2, sealed = NULL, sealed_key_id = NULL WHERE id = $1',
}

const forget: Statement = { name: 'codes-forget', text: 'DELETE FROM codes WHERE expires_at < $1' }
