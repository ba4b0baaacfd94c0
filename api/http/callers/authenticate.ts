// Who calls: an API key by its Bearer header (§5), or a person by their session's cookie, looked up afresh each time so that a
// revoked key, an ended session and a removed member are refused at once.

import { apiKeyDigests, readApiKeySecret } from '../../../db/partners/api-key-secret'
import { type ClaimedRow, findCallerAndClaim } from '../../../db/payouts/claims'
import { findCallerAndPayout, type PayoutRow } from '../../../db/payouts/payouts'
import { type Caller, findCaller, type PersonCaller } from '../../../db/sign-in/callers'
import { findPerson, touchSession } from '../../../db/sign-in/sessions'
import type { Environment } from '../../../domain/environment'
import type { ApiDeps } from '../../deps'
import { renewDigest } from '../../partners/keys/renew-digest'
import { ApiError } from '../errors'

/**
 * The key or session token that a request carries, where it could be one of ours. Throws for any other: neither the database is
 * asked for it nor is its body kept.
 */
export function requireCredential(header: string, token: string | null): string {
  const credential = header === '' ? token : readSecret(header)
  if (credential === null) throw new ApiError('unauthorized')
  return credential
}

export async function authenticate(header: string, deps: ApiDeps): Promise<Caller> {
  return firstFound(header, deps, (digest) => findCaller(deps.db, digest))
}

/** The same, with the payout of theirs that they ask for. */
export async function authenticateWithPayout(
  header: string,
  payoutId: string,
  deps: ApiDeps,
): Promise<{ caller: Caller; payout: PayoutRow | null }> {
  return firstFound(header, deps, (digest) => findCallerAndPayout(deps.db, digest, payoutId))
}

/** The same, with what is stored under the Idempotency-Key they send. */
export async function authenticateWithClaim(
  header: string,
  idempotencyKey: string,
  deps: ApiDeps,
): Promise<{ caller: Caller; claim: ClaimedRow | null }> {
  return firstFound(header, deps, (digest) => findCallerAndClaim(deps.db, digest, idempotencyKey))
}

/** A page that asks by itself is no sign of a person before it: it reads, and does not keep the session from being idle. */
export type Use = 'person' | 'background'

export async function authenticatePerson(
  token: string,
  { environment, use }: { readonly environment: Environment; readonly use: Use },
  { db, clock, config: { session } }: ApiDeps,
): Promise<PersonCaller> {
  const at = clock.now()
  const found = await findPerson(db, { token, environment, at, idleMs: session.idleMs })
  if (found === null) throw sessionOver()
  const { caller, lastUsedAt } = found
  // A write now and then keeps it from being idle; one for each request would cost more than the request.
  if (use === 'person' && at.getTime() - lastUsedAt.getTime() >= session.idleMs / touchesPerIdle)
    await touchSession(db, caller.sessionId, at)
  return caller
}

const touchesPerIdle = 100

export function sessionOver(): ApiError {
  return new ApiError('unauthorized', { message: 'The session is over: sign in again.' })
}

/** A key is stored under the secret key of its day: today's is asked first, older ones only while a rotation lasts. */
async function firstFound<T>(header: string, deps: ApiDeps, find: (digest: Buffer) => Promise<T | null>): Promise<T> {
  const secret = requireCredential(header, null)
  const digests = apiKeyDigests(deps.keyring, secret)
  // Between two questions another call may have renewed the digest, so that neither finds it: then both are asked again.
  const asked = digests.length > 1 ? [...digests, ...digests] : digests
  for (const each of asked) {
    const found = await find(each.digest)
    if (found === null) continue
    await renewDigest(each, digests, deps)
    return found
  }
  throw new ApiError('unauthorized')
}

/** Null for a mistyped key too: its checksum is wrong. */
function readSecret(header: string): string | null {
  const secret = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(header)?.[1]
  return secret && readApiKeySecret(secret) ? secret : null
}
