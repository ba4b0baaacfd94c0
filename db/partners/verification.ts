// Starts or restarts a partner's verification. Because of the row lock, two concurrent requests start it only once.
import { assert } from '../../domain/assert'
import type { VerificationStatus } from '../../domain/partners/partner'
import { canStart } from '../../domain/partners/verification'
import type { Queryable, Tx } from '../database'
import { lockPartner, type PartnerRow, updatePartner } from './partners'

type BegunVerification =
  | { readonly outcome: 'begun'; readonly partner: PartnerRow }
  | { readonly outcome: 'invalid_state'; readonly status: VerificationStatus }

/**
 * After the bank has rejected the partner, the verification continues and stores the known reasons. If the bank has not
 * opened the verification, it starts over.
 */
export async function beginVerification(tx: Tx, partnerId: string, at: Date): Promise<BegunVerification> {
  const partner = await lockPartner(tx, partnerId)
  assert(partner !== null, 'the partner to verify must exist')
  const { verificationStatus: status, providerStatus, verificationReasonMarks, verificationTries } = partner
  if (!canStart(status, providerStatus)) return { outcome: 'invalid_state', status }
  const changes =
    status === 'rejected' && providerStatus !== null
      ? ({ verificationStatus: 'action_required', verificationReasonsKnown: verificationReasonMarks } as const)
      : ({ verificationStatus: 'pending', verificationReasons: [], verificationAwaitedSince: at } as const)
  const tried = { ...changes, verificationTries: verificationTries + 1 }
  return { outcome: 'begun', partner: await updatePartner(tx, partnerId, tried, at) }
}

/**
 * Returns the partners whose verification was requested before `before` but not opened by the bank. Returns each one
 * once.
 */
export async function takeLateOpenings(db: Queryable, before: Date): Promise<string[]> {
  const rows = await db.sql<{
    id: string
  }>`UPDATE partners SET verification_awaited_since = NULL WHERE verification_awaited_since < ${before} RETURNING id`
  return rows.map(({ id }) => id)
}
