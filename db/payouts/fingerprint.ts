// Detects whether two requests are for the same payout, and which fields differ. Only keyed hashes of the values are
// stored.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring, PurposeKey } from '../keyring'

/** The fields of a request by path, with defaults applied and values in canonical form. */
export type CanonicalFields = Readonly<Record<string, string>>

export interface Fingerprint {
  readonly keyId: string
  readonly whole: Buffer
  readonly fields: Readonly<Record<string, string>>
}

export function fingerprintOf(keyring: Keyring, fields: CanonicalFields): Fingerprint {
  const key = keyring.current('fingerprint')
  return { keyId: key.id, whole: wholeOf(key, fields), fields: fieldsOf(key, fields) }
}

/** Prefix of the field paths that are erased together with the bank details. */
export const recipientPaths = 'recipient.'

/**
 * Returns the fields whose values differ from the stored ones. Returns an empty list for the same request, and null if
 * the keyring lacks the fingerprint's key. Reports the whole recipient as one field, because a caller could use
 * per-field results to guess the sealed bank details. An erased recipient cannot be compared, so it is reported only if
 * no other field differs.
 */
export function differingFields(keyring: Keyring, stored: Fingerprint, fields: CanonicalFields): string[] | null {
  const key = keyring.find('fingerprint', stored.keyId)
  if (key === null) return null
  if (timingSafeEqual(wholeOf(key, fields), stored.whole)) return []
  const asked = fieldsOf(key, fields)
  const paths = Object.keys({ ...stored.fields, ...asked })
  const differing = fieldsShown(paths.filter((path) => stored.fields[path] !== asked[path]))
  if (Object.keys(stored.fields).some(isOfRecipient)) return differing
  const others = differing.filter((field) => field !== 'recipient')
  return others.length === 0 ? ['recipient'] : others
}

/** Returns the field names to show in a response, with the recipient as one field. */
export function fieldsShown(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => (isOfRecipient(path) ? 'recipient' : path)))].toSorted()
}

function isOfRecipient(path: string): boolean {
  return path.startsWith(recipientPaths)
}

function wholeOf(key: PurposeKey, fields: CanonicalFields): Buffer {
  const paths = Object.keys(fields).toSorted()
  return hash(key, JSON.stringify(paths.map((path) => [path, fields[path]])))
}

/**
 * Twelve bytes of each hash suffice. Each hash covers the path, so equal values in two fields have different hashes.
 */
function fieldsOf(key: PurposeKey, fields: CanonicalFields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([path, value]) => [path, hash(key, `${path}\n${value}`).toString('hex', 0, 12)]),
  )
}

function hash({ bytes }: PurposeKey, text: string): Buffer {
  return createHmac('sha256', bytes).update(text).digest()
}
