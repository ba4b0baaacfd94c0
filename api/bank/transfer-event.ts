// A bank event about a transfer: wakes the workflow of its payout, unless the event contradicts our ledger.
import type { EventPayout, ReceivedEvent } from '../../db/bank/events'
import { setAttention } from '../../db/payouts/steps'
import { newsOf } from '../../rail/news'
import { standingOf } from '../../rail/provider/map'
import type { Standing } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'

export async function transferEvent(event: ReceivedEvent, payout: EventPayout | null, deps: ApiDeps): Promise<string> {
  if (payout === null) {
    report(event, deps)
    return 'unknown_payout'
  }
  const news = newsOf({ ref: event.objectRef, standing: standingFor(event) }, payout)
  if (news === 'contradiction') return quarantined(event, payout, deps)
  if (news === 'known') return 'too_late'
  if (news === 'open' && !matters(event, payout)) return 'not_needed'
  try {
    // A completed payout has no workflow any more, or already the one for its return.
    return await (payout.completedAt === null
      ? deps.workflows.signalPayout(payout)
      : deps.workflows.signalReturn(payout))
  } catch (error) {
    deps.log.warn({ err: error, payout_id: payout.payoutId }, 'cannot forward bank event')
    throw new ApiError('service_unavailable')
  }
}

/** Books nothing: an operator must look at it. */
async function quarantined(event: ReceivedEvent, { payoutId }: EventPayout, deps: ApiDeps): Promise<string> {
  report(event, deps)
  await setAttention(deps.db, payoutId, `bank_contradicts_${event.objectState ?? 'us'}`)
  return 'quarantined'
}

function report({ payoutId, objectRef, objectState }: ReceivedEvent, { log }: ApiDeps): void {
  log.error({ payout_id: payoutId, transfer_ref: objectRef, state: objectState }, 'the bank contradicts our books')
}

/** A transfer under way changes nothing, unless we did not know yet that the bank has it. */
function matters(event: ReceivedEvent, { verdict }: EventPayout): boolean {
  return verdict === 'unknown' || event.objectState === null || standingFor(event) !== 'under_way'
}

function standingFor({ objectState }: ReceivedEvent): Standing {
  return objectState === null ? 'under_way' : standingOf(objectState)
}
