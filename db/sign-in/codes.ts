// Emailed 6-digit codes. A code can be used once, lasts ten minutes and allows five tries. The UPDATE that checks a
// code also counts the tries.
import { createHmac, randomInt } from 'node:crypto'
import { assert } from '../../domain/assert'
import { codeLastsMs, codeTries } from '../../domain/sign-in'
import { bytes, entity, id, integer, orNull, text, time, uuid, withDefault } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import type { Keyring, PurposeKey } from '../keyring'
import { openText, type Sealed, sealText } from '../seal'

type CodePurpose = 'sign_in' | 'sign_up' | 'confirm'

interface CodeRow {
  readonly id: string
  readonly purpose: CodePurpose
  readonly subject: string
  readonly boundTo: Buffer | null
  readonly digest: Buffer
  readonly digestKeyId: string
  readonly tries: number
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly usedAt: Date | null
  readonly usedFor: string | null
  readonly sealed: Buffer | null
  readonly sealedKeyId: string | null
}

export const codes = entity<CodeRow>('Code', 'codes', {
  id,
  purpose: text,
  subject: text,
  boundTo: orNull(bytes),
  digest: bytes,
  digestKeyId: text,
  tries: withDefault(integer, 0),
  createdAt: time,
  expiresAt: time,
  usedAt: orNull(time),
  usedFor: orNull(uuid),
  sealed: orNull(bytes),
  sealedKeyId: orNull(text),
})

export interface NewCode {
  readonly purpose: CodePurpose
  /** An email address in lower case, or, for a `confirm` code, the ID of the member who requests it. */
  readonly subject: string
  /** For a `confirm` code, the action to confirm (`codeBinding`). For other codes, the browser that requested it. */
  readonly boundTo: Buffer
  /** The sign-up form's fields. They are stored sealed. */
  readonly said?: Readonly<Record<string, string>>
  /** How many codes, whatever their purpose, a subject may request within one hour. */
  readonly perHour: number
  /** How many of these codes allow `codeTries` tries. Later codes allow only one try. Defaults to `perHour`. */
  readonly forgivingPerHour?: number
  readonly at: Date
}

type IssuedCode =
  | { readonly outcome: 'issued'; readonly id: string; readonly code: string; readonly expiresAt: Date }
  | { readonly outcome: 'too_many'; readonly retryAt: Date }

/** Only the result contains the code. The database stores a digest. */
export async function issueCode(tx: Tx, keyring: Keyring, wanted: NewCode): Promise<IssuedCode> {
  const { purpose, subject, boundTo, said, perHour, forgivingPerHour = perHour, at } = wanted
  // The lock serializes one subject's requests. Without it, two concurrent requests would not count each other.
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('code/' || ${subject}, 0))`
  const since = new Date(at.getTime() - hourMs)
  const [counted] = await tx.sql<{ count: bigint; oldest: Date | null }>`
    SELECT count(*) AS count, min(created_at) AS oldest FROM codes WHERE subject = ${subject} AND created_at > ${since}`
  assert(counted !== undefined, 'a count must return a row')
  if (counted.count >= perHour) {
    return { outcome: 'too_many', retryAt: new Date((counted.oldest ?? at).getTime() + hourMs) }
  }

  const codeId = newId(at)
  const code = randomInt(1_000_000).toString().padStart(6, '0')
  const key = keyring.current('code')
  const sealed = said ? sealText(keyring, 'mail', codeId, JSON.stringify(said)) : null
  const expiresAt = new Date(at.getTime() + codeLastsMs)
  const digest = digestOf(key, { id: codeId, purpose, code })
  const triesSpent = counted.count < forgivingPerHour ? 0 : codeTries - 1
  await tx.repo(codes).insert({
    id: codeId,
    purpose,
    subject,
    boundTo,
    digest,
    digestKeyId: key.id,
    tries: triesSpent,
    createdAt: at,
    expiresAt,
    sealed: sealed?.sealed ?? null,
    sealedKeyId: sealed?.keyId ?? null,
  })
  return { outcome: 'issued', id: codeId, code, expiresAt }
}

interface CodeToTry {
  readonly purpose: CodePurpose
  readonly subject: string
  readonly boundTo: Buffer
  readonly code: string
  /** The payout that the code confirms, so that `giveCodeBack` can find the code. */
  readonly usedFor?: string
  readonly at: Date
}

export interface UsedCode {
  readonly id: string
  readonly purpose: CodePurpose
}

/**
 * Uses the newest code for this purpose, subject and binding. Returns null if the code is wrong, used, expired, was
 * tried too often or was never requested, so the caller does not learn which. A wrong try is counted, so the caller
 * must commit the transaction in that case as well.
 */
export async function tryCode(tx: Tx, keyring: Keyring, tried: CodeToTry): Promise<UsedCode | null> {
  const found = await findOpenCode(tx, tried)
  return found && useCode(tx, keyring, found, tried)
}

export interface OpenCode extends UsedCode {
  readonly keyId: string
}

/**
 * Finds the newest code for this purpose, subject and binding, if it can still be tried. Once it cannot, each further
 * guess costs one read and no lock.
 */
export async function findOpenCode(
  db: Queryable,
  { purpose, subject, boundTo, at }: Omit<CodeToTry, 'code' | 'usedFor'>,
): Promise<OpenCode | null> {
  const [newest] = await db.sql<OpenCode>`SELECT id, purpose, key_id FROM (
      SELECT id, purpose, digest_key_id AS key_id, used_at, tries FROM codes
      WHERE purpose = ${purpose} AND subject = ${subject} AND bound_to = ${boundTo} AND expires_at > ${at}
      ORDER BY created_at DESC, id DESC LIMIT 1) newest
    WHERE used_at IS NULL AND tries < ${codeTries}`
  return newest ?? null
}

/** The second half of `tryCode`: checks the entered code and counts a wrong try. */
export async function useCode(
  tx: Tx,
  keyring: Keyring,
  { id, purpose, keyId }: OpenCode,
  { code, usedFor, at }: Pick<CodeToTry, 'code' | 'usedFor' | 'at'>,
): Promise<UsedCode | null> {
  const key = keyring.find('code', keyId)
  if (key === null) return null
  const digest = digestOf(key, { id, purpose, code })
  // The row lock serializes concurrent guesses. Each one sees the tries before it, so the sixth changes nothing.
  const [judged] = await tx.sql<{ matches: boolean }>`UPDATE codes SET
      tries = tries + CASE WHEN digest = ${digest} THEN 0 ELSE 1 END,
      used_at = CASE WHEN digest = ${digest} THEN ${at}::timestamptz END,
      used_for = CASE WHEN digest = ${digest} THEN coalesce(${usedFor ?? null}::uuid, used_for) ELSE used_for END
    WHERE id = ${id} AND used_at IS NULL AND expires_at > ${at} AND tries < ${codeTries}
    RETURNING digest = ${digest} AS matches`
  return judged?.matches ? { id, purpose } : null
}

/** Makes the code usable again until it expires. Called when the confirmed action was not carried out. */
export async function giveCodeBack(
  tx: Tx,
  code: { readonly id: string } | { readonly usedFor: string },
): Promise<void> {
  const [codeId, usedFor] = 'id' in code ? [code.id, null] : [null, code.usedFor]
  await tx.sql`UPDATE codes SET used_at = NULL
    WHERE id = ${codeId}::uuid OR (used_for = ${usedFor}::uuid AND purpose = 'confirm')`
}

/**
 * Returns a keyed hash of the action that a `confirm` code confirms. An account number could be guessed from a plain
 * hash.
 */
export function codeBinding(keyring: Keyring, parts: Readonly<Record<string, string | null>>): Buffer {
  const written = JSON.stringify(Object.entries(parts).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return createHmac('sha256', keyring.current('code-bound').bytes).update(written).digest()
}

/** Returns the sign-up form's fields. `said` is null once the partner has been created. */
export async function openSignUp(
  tx: Tx,
  keyring: Keyring,
  id: string,
): Promise<{
  readonly email: string
  readonly said: Readonly<Record<string, string>> | null
  readonly usedFor: string | null
} | null> {
  const [row] = await tx.sql<
    { email: string; usedFor: string | null } & Partial<Sealed>
  >`SELECT subject AS email, used_for, sealed, sealed_key_id AS key_id FROM codes
    WHERE id = ${id} AND purpose = 'sign_up' FOR UPDATE`
  if (row === undefined) return null
  const { email, usedFor, keyId, sealed } = row
  const said = keyId && sealed ? JSON.parse(openText(keyring, 'mail', id, { keyId, sealed })) : null
  return { email, said, usedFor }
}

/** Erases the sealed fields, because they are no longer needed. */
export async function closeSignUp(tx: Tx, id: string, partnerId: string): Promise<void> {
  await tx.repo(codes).update({ id }, { usedFor: partnerId, sealed: null, sealedKeyId: null })
}

export async function deleteExpiredCodes(db: Queryable, before: Date): Promise<void> {
  await db.sql`DELETE FROM codes WHERE expires_at < ${before}`
}

const hourMs = 60 * 60 * 1000

function digestOf({ bytes }: PurposeKey, { id, purpose, code }: UsedCode & { code: string }): Buffer {
  return createHmac('sha256', bytes).update(`${id}|${purpose}|${code}`).digest()
}
