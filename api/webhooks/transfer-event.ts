// An event about a transfer: the payout it belongs to is told that there is something to ask for, unless the bank contradicts our books.
import type { EventPayout, ReceivedEvent } from '../../db/bank-events'
import { setAttention } from '../../db/payout-steps'
import { standingOf } from '../../rail/provider/map'
import type { ApiDeps } from '../deps'
import { ApiError } from '../errors'

export async function transferEvent(event: ReceivedEvent, payout: EventPayout | null, deps: ApiDeps): Promise<string> {
  if (payout === null) {
    report(event, deps)
    return 'unknown_payout'
  }
  if (contradicts(event, payout)) return quarantined(event, payout, deps)
  if (payout.closedAt !== null) return 'too_late'
  if (!matters(event, payout)) return 'not_needed'
  try {
    return await deps.payouts.bankSpoke(payout)
  } catch (error) {
    deps.log.warn({ err: error, payout_id: payout.payoutId }, 'an event of the bank could not be passed on')
    throw new ApiError('service_unavailable')
  }
}

/** Nothing is booked by guessing: a person has to look. */
async function quarantined(event: ReceivedEvent, { payoutId }: EventPayout, deps: ApiDeps): Promise<string> {
  report(event, deps)
  await setAttention(deps.db, payoutId, `bank_contradicts_${event.objectState ?? 'us'}`)
  return 'quarantined'
}

function report({ payoutId, objectRef, objectState }: ReceivedEvent, { log }: ApiDeps): void {
  log.error({ payout_id: payoutId, transfer_ref: objectRef, state: objectState }, 'the bank contradicts our books')
}

/** The bank speaks of a transfer that we took back, never knew, made otherwise, or have settled otherwise. */
function contradicts(event: ReceivedEvent, payout: EventPayout): boolean {
  const { transferRef, releasedAt, closedAt } = payout
  if (releasedAt !== null) return true
  if (transferRef !== null && event.objectRef !== transferRef) return true
  return closedAt !== null && (transferRef === null || disagrees(event, payout))
}

/** Late news of what we know is no contradiction. */
function disagrees({ objectState }: ReceivedEvent, { status }: EventPayout): boolean {
  const standing = objectState === null ? 'under_way' : standingOf(objectState)
  if (standing === 'under_way') return false
  return status === 'completed' ? standing !== 'delivered' : standing === 'delivered'
}

/** A transfer under way changes nothing of ours, unless we did not know yet that the bank has it. */
function matters({ objectState }: ReceivedEvent, { verdict }: EventPayout): boolean {
  return verdict === 'unknown' || objectState === null || standingOf(objectState) !== 'under_way'
}
