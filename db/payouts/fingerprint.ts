// Detects whether two requests ask for the same payout, and which fields differ, without storing their values.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring, PurposeKey } from '../keyring'

/** A request's fields by their path, with defaults applied and values in one canonical form. */
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

/** The prefix of the paths that are erased with the bank details. */
export const recipientPaths = 'recipient.'

/**
 * The fields whose values differ from the stored ones: none when it is the same request, null when the fingerprint's key is
 * missing. The recipient is one field: field by field, a caller could guess the sealed bank details. An erased recipient cannot be
 * compared, so it is named only if nothing else differs.
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

/** The names in a response, with the recipient as one field. */
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

/** Twelve bytes distinguish two values. The path is hashed too, so equal values of two fields have different hashes. */
function fieldsOf(key: PurposeKey, fields: CanonicalFields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([path, value]) => [path, hash(key, `${path}\n${value}`).toString('hex', 0, 12)]),
  )
}

function hash({ bytes }: PurposeKey, text: string): Buffer {
  return createHmac('sha256', bytes).update(text).digest()
}
