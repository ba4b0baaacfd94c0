// POST /webhooks/bank: the bank has something to say. It is believed by its signature, stored, and then only a reason to ask.
import { createHash } from 'node:crypto'
import type { Router } from '@koa/router'
import { type EventPayout, markEventHandled, type ReceivedEvent, storeBankEvent } from '../../db/bank-events'
import { setAttention } from '../../db/payout-steps'
import type { Environment } from '../../domain/environment'
import { standingOf } from '../../rail/provider/map'
import type { WebhookEvent } from '../../rail/rail'
import type { ApiContext, RequestState } from '../answer'
import type { ApiDeps } from '../deps'
import { ApiError } from '../errors'
import { readBytes } from '../read-json'
import { uuidPattern } from '../validate'
import { createWebhookReader } from './signed'

/** 200: stored, do not send it again. 400: not signed by the bank, or not now. 503: send it again later. */
export function bankWebhook(router: Router<RequestState>, deps: ApiDeps): void {
  const read = createWebhookReader(deps)
  router.post('/webhooks/bank', async (context: ApiContext) => {
    const rawBody = await readBytes(context.req)
    const { event, environment } = await read(context.get('X-Webhook-Signature'), rawBody)
    const outcome = await receive(storable(event, environment, rawBody, deps), deps)
    context.body = { received: true, outcome }
  })
}

async function receive(event: ReceivedEvent, deps: ApiDeps): Promise<string> {
  const stored = await storeBankEvent(deps.db, event)
  if (stored.handledAt !== null) return 'repeated'
  const outcome = await handle(event, stored.payout, deps)
  await markEventHandled(deps.db, { id: stored.id, outcome, at: deps.clock.now() })
  return outcome
}

/** What became of it, as it stays in bank_events; whoever must hear of it hears only that there is something to ask for. */
async function handle(event: ReceivedEvent, payout: EventPayout | null, deps: ApiDeps): Promise<string> {
  if (event.category !== 'transfer') return event.category === unknownCategory ? 'unknown_category' : 'not_needed'
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

const unknownCategory = 'unknown'

function storable(event: WebhookEvent, environment: Environment, rawBody: Buffer, { clock }: ApiDeps): ReceivedEvent {
  const at = clock.now()
  if (event.outcome === 'ignored') {
    // It has no name that we can read; its content's hash tells it from others when it comes again.
    const eventId = createHash('sha256').update(rawBody).digest('hex')
    return { environment, eventId, category: unknownCategory, objectRef: null, objectState: null, payoutId: null, at }
  }
  const { eventId, category, objectRef, state, payoutId } = event
  const known = payoutId !== null && uuidPattern.test(payoutId) ? payoutId : null
  return { environment, eventId, category, objectRef, objectState: state, payoutId: known, at }
}
