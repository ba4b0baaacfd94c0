// POST /webhooks/bank: the bank has something to say. It is believed by its signature, stored, and then only a reason to ask.
import { createHash } from 'node:crypto'
import type { Router } from '@koa/router'
import { type EventPayout, markEventHandled, type ReceivedEvent, storeBankEvent } from '../../db/bank/events'
import type { Environment } from '../../domain/environment'
import type { WebhookEvent } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { readBytes } from '../http/requests/read-json'
import { uuidPattern } from '../http/requests/validate'
import type { ApiContext, RequestState } from '../http/route'
import { createWebhookReader } from './signed-event'
import { transferEvent } from './transfer-event'
import { verificationEvent } from './verification-event'
import { walletEvent } from './wallet-event'

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
function handle(event: ReceivedEvent, payout: EventPayout | null, deps: ApiDeps): Promise<string> | string {
  switch (event.category) {
    case 'transfer':
      return transferEvent(event, payout, deps)
    case 'customer':
    case 'kyc_link':
      return verificationEvent(event, deps)
    case 'bridge_wallet.activity':
      return walletEvent(event, deps)
    case unknownCategory:
      return 'unknown_category'
    default:
      return 'not_needed'
  }
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
