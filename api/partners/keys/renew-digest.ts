// An API key that was found under an older secret key is written under today's: only its use shows us the secret that takes.

import type { Keyring } from '../../../db/keyring'
import type { ApiKeyDigest } from '../../../db/partners/api-key-secret'
import { renewApiKeyDigest } from '../../../db/partners/api-keys'
import type { ApiDeps } from '../../deps'

export async function renewDigest(
  found: ApiKeyDigest,
  [current]: readonly ApiKeyDigest[],
  { db, keyring, clock }: Pick<ApiDeps, 'db' | 'keyring' | 'clock'>,
): Promise<void> {
  if (current === undefined || found.keyId === current.keyId) return
  if (!isDue(keyring, current.digest.toString('hex'), clock.now().getTime())) return
  // Whoever calls is let in all the same, and the next call tries again.
  await renewApiKeyDigest(db, found.digest, current).catch(() => undefined)
}

/** While a rotation is rolled out, two processes may disagree on which key is today's: they must not take turns at every call. */
function isDue(keyring: Keyring, digest: string, now: number): boolean {
  const last = renewedAt.get(keyring) ?? new Map<string, number>()
  renewedAt.set(keyring, last)
  if (now - (last.get(digest) ?? Number.NEGATIVE_INFINITY) < pauseMs) return false
  last.set(digest, now)
  return true
}

const renewedAt = new WeakMap<Keyring, Map<string, number>>()
const pauseMs = 60_000
