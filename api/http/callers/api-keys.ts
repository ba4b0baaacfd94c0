// Identifies the caller by a request's API key.
import type { Keyring } from '../../../db/keyring'
import { type ApiKeyDigest, apiKeyDigests, readApiKeySecret } from '../../../db/partners/api-key-secret'
import { renewApiKeyDigest } from '../../../db/partners/api-keys'
import { findCaller } from '../../../db/sign-in/callers'
import type { ApiDeps } from '../../deps'
import { ApiError } from '../errors'
import type { FoundWithCaller, Lookup } from '../route'

/** The API key in an Authorization header. Null if there is none or its checksum is wrong, as in a mistyped key. */
export function readKey(header: string): string | null {
  const secret = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(header)?.[1]
  return secret && readApiKeySecret(secret) ? secret : null
}

/**
 * The database stores a digest of each API key, computed with the entry of SECRET_KEYS that was current at the time.
 * The lookup starts with the current entry. During a rotation it also tries the older entries. Another request may renew
 * the digest during this pass, so the lookup then tries all entries again.
 */
export async function identifyKey<Found>(
  secret: string,
  name: string | null,
  lookup: Lookup<Found>,
  deps: ApiDeps,
): Promise<FoundWithCaller<Found>> {
  const digests = apiKeyDigests(deps.keyring, secret)
  const tries = digests.length > 1 ? [...digests, ...digests] : digests
  for (const each of tries) {
    const found = await findByDigest(each.digest, name, lookup, deps)
    if (found === null) continue
    await renewDigest(each, digests, deps)
    return found
  }
  throw new ApiError('unauthorized')
}

async function findByDigest<Found>(
  digest: Buffer,
  name: string | null,
  lookup: Lookup<Found>,
  { db }: ApiDeps,
): Promise<FoundWithCaller<Found> | null> {
  if (name !== null) return lookup.findWithKey(db, digest, name)
  const caller = await findCaller(db, digest)
  return caller && { caller, found: lookup.nothing }
}

/**
 * Renews a digest that was computed with an older entry of SECRET_KEYS. This is possible only when the key is used,
 * because the key itself is not stored.
 */
async function renewDigest(
  found: ApiKeyDigest,
  [current]: readonly ApiKeyDigest[],
  { db, keyring, clock }: Pick<ApiDeps, 'db' | 'keyring' | 'clock'>,
): Promise<void> {
  if (current === undefined || found.keyId === current.keyId) return
  if (!isDue(keyring, current.digest.toString('hex'), clock.now().getTime())) return
  // A failure here is harmless, because the next request retries.
  await renewApiKeyDigest(db, found.digest, current).catch(() => undefined)
}

/**
 * During a rotation, two processes may disagree on the current entry of SECRET_KEYS. The pause prevents them from
 * undoing each other's renewal on every call.
 */
function isDue(keyring: Keyring, digest: string, now: number): boolean {
  const last = renewedAt.get(keyring) ?? new Map<string, number>()
  renewedAt.set(keyring, last)
  if (now - (last.get(digest) ?? Number.NEGATIVE_INFINITY) < pauseMs) return false
  last.set(digest, now)
  return true
}

const renewedAt = new WeakMap<Keyring, Map<string, number>>()
const pauseMs = 60_000
