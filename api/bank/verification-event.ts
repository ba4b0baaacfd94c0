// An event about a customer or their verification: the verification is woken, and asks the bank itself.
import type { ReceivedEvent } from '../../db/bank/events'
import { findVerifiedPartner } from '../../db/wallets/live'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'

/** A sandbox has nobody to verify: what it waits for there, it asks for itself. */
export async function verificationEvent({ environment, objectRef }: ReceivedEvent, deps: ApiDeps): Promise<string> {
  if (environment === 'sandbox' || objectRef === null) return 'not_needed'
  const partnerId = await findVerifiedPartner(deps.db, objectRef)
  if (partnerId === null) return 'unknown_customer'
  try {
    await deps.workflows.wakeVerification(partnerId)
    return 'told'
  } catch (error) {
    deps.log.warn({ err: error, partner_id: partnerId }, 'an event of the bank could not be passed on')
    throw new ApiError('service_unavailable')
  }
}
