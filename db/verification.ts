// Starts a partner's verification, the first time or again: the row decides who may, and that two starts are one.
import { assert } from '../domain/assert'
import type { VerificationStatus } from '../domain/partner'
import { canStart } from '../domain/verification'
import type { Tx } from './database'
import { lockPartner, type PartnerRow, updatePartner } from './partners'

export type BegunVerification =
  | { readonly outcome: 'begun'; readonly partner: PartnerRow }
  | { readonly outcome: 'invalid_state'; readonly status: VerificationStatus }

/** After a refusal it goes on where it was: the reasons so far are old news from now on. */
export async function beginVerification(tx: Tx, partnerId: string, at: Date): Promise<BegunVerification> {
  const partner = await lockPartner(tx, partnerId)
  assert(partner !== null, 'the partner to verify must exist')
  const { verificationStatus: status, providerStatus, verificationReasonMarks } = partner
  if (!canStart(status, providerStatus)) return { outcome: 'invalid_state', status }
  const changes =
    status === 'rejected'
      ? ({ verificationStatus: 'action_required', verificationReasonsKnown: verificationReasonMarks } as const)
      : ({ verificationStatus: 'pending' } as const)
  return { outcome: 'begun', partner: await updatePartner(tx, partnerId, changes, at) }
}
