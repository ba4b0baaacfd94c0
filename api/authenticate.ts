// Who calls: an API key by its Bearer header (§5), looked up afresh each time so that a revoked key is refused at once.

import { apiKeyDigests, readApiKeySecret } from '../db/api-key-secret'
import { type Caller, findCaller } from '../db/callers'
import type { Keyring } from '../db/keyring'
import { findCallerAndPayout, type PayoutRow } from '../db/payouts'
import type { ApiDeps } from './deps'
import { ApiError } from './errors'

export async function authenticate(header: string, { db, keyring }: ApiDeps): Promise<Caller> {
  const caller = await findCaller(db, digestsOf(header, keyring))
  if (!caller) throw new ApiError('unauthorized')
  return caller
}

/** The same, with the payout of theirs that they ask for. */
export async function authenticateWithPayout(
  header: string,
  payoutId: string,
  { db, keyring }: ApiDeps,
): Promise<{ caller: Caller; payout: PayoutRow | null }> {
  const found = await findCallerAndPayout(db, digestsOf(header, keyring), payoutId)
  if (!found) throw new ApiError('unauthorized')
  return found
}

function digestsOf(header: string, keyring: Keyring): Buffer[] {
  const secret = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(header)?.[1]
  // A mistyped key is told by its checksum, without a question to the database.
  if (!secret || !readApiKeySecret(secret)) throw new ApiError('unauthorized')
  return apiKeyDigests(keyring, secret).map(({ digest }) => digest)
}
