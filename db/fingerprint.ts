// Tells whether two requests ask for the same payout, and which fields differ, without keeping what they said (design §3).
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring, PurposeKey } from './keyring'

/** A request's fields by their path, defaults applied and values written in one way. */
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

/** How the paths begin of what is erased with the bank details. */
export const recipientPaths = 'recipient.'

/**
 * The paths whose values differ from what was fingerprinted; none when it is the same request, null when its key is gone. Of a
 * recipient that was erased it can only be told that it differs, and only where nothing else does.
 */
export function differingFields(keyring: Keyring, stored: Fingerprint, fields: CanonicalFields): string[] | null {
  const key = keyring.find('fingerprint', stored.keyId)
  if (key === null) return null
  if (timingSafeEqual(wholeOf(key, fields), stored.whole)) return []
  const asked = fieldsOf(key, fields)
  const paths = [...new Set([...Object.keys(stored.fields), ...Object.keys(asked)])]
  const differing = paths.filter((path) => stored.fields[path] !== asked[path]).toSorted()
  if (Object.keys(stored.fields).some(isOfRecipient)) return differing
  const others = differing.filter((path) => !isOfRecipient(path))
  return others.length === 0 ? ['recipient'] : others
}

function isOfRecipient(path: string): boolean {
  return path.startsWith(recipientPaths)
}

function wholeOf(key: PurposeKey, fields: CanonicalFields): Buffer {
  const paths = Object.keys(fields).toSorted()
  return hash(key, JSON.stringify(paths.map((path) => [path, fields[path]])))
}

/** Twelve bytes tell two values apart; the path is hashed with them, so that equal values of two fields look unlike. */
function fieldsOf(key: PurposeKey, fields: CanonicalFields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([path, value]) => [path, hash(key, `${path}\n${value}`).toString('hex', 0, 12)]),
  )
}

function hash({ bytes }: PurposeKey, text: string): Buffer {
  return createHmac('sha256', bytes).update(text).digest()
}
