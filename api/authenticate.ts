// Who calls: an API key by its Bearer header (§5), looked up afresh each time so that a revoked key is refused at once.

import { apiKeyDigests, readApiKeySecret } from '../db/api-key-secret'
import { type Caller, findCaller } from '../db/callers'
import type { ApiDeps } from './deps'
import { ApiError } from './errors'

export async function authenticate(header: string, { db, keyring }: ApiDeps): Promise<Caller> {
  const secret = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(header)?.[1]
  // A mistyped key is told by its checksum, without a question to the database.
  if (!secret || !readApiKeySecret(secret)) throw new ApiError('unauthorized')
  const caller = await findCaller(
    db,
    apiKeyDigests(keyring, secret).map(({ digest }) => digest),
  )
  if (!caller) throw new ApiError('unauthorized')
  return caller
}
