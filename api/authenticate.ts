// Who calls: an API key by its Bearer header (§5), looked up afresh each time so that a revoked key is refused at once.

import { apiKeyDigests, readApiKeySecret } from '../db/api-key-secret'
import { type Caller, findCaller } from '../db/callers'
import type { Keyring } from '../db/keyring'
import { type ClaimedRow, findCallerAndClaim } from '../db/payout-claims'
import { findCallerAndPayout, type PayoutRow } from '../db/payouts'
import type { ApiDeps } from './deps'
import { ApiError } from './errors'

export async function authenticate(header: string, { db, keyring }: ApiDeps): Promise<Caller> {
  return firstFound(header, keyring, (digest) => findCaller(db, digest))
}

/** The same, with the payout of theirs that they ask for. */
export async function authenticateWithPayout(
  header: string,
  payoutId: string,
  { db, keyring }: ApiDeps,
): Promise<{ caller: Caller; payout: PayoutRow | null }> {
  return firstFound(header, keyring, (digest) => findCallerAndPayout(db, digest, payoutId))
}

/** The same, with what is stored under the Idempotency-Key they send. */
export async function authenticateWithClaim(
  header: string,
  idempotencyKey: string,
  { db, keyring }: ApiDeps,
): Promise<{ caller: Caller; claim: ClaimedRow | null }> {
  return firstFound(header, keyring, (digest) => findCallerAndClaim(db, digest, idempotencyKey))
}

/** A key is stored under the secret key of its day: today's is asked first, older ones only while a rotation lasts. */
async function firstFound<T>(
  header: string,
  keyring: Keyring,
  find: (digest: Buffer) => Promise<T | null>,
): Promise<T> {
  const secret = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(header)?.[1]
  // A mistyped key is told by its checksum, without a question to the database.
  if (!secret || !readApiKeySecret(secret)) throw new ApiError('unauthorized')
  for (const { digest } of apiKeyDigests(keyring, secret)) {
    const found = await find(digest)
    if (found !== null) return found
  }
  throw new ApiError('unauthorized')
}
