// POST /webhooks/bank: verifies and stores an event of the bank. An event books nothing and only triggers a read at the bank.
import { createHash } from 'node:crypto'
import type { Router } from '@koa/router'
import { type EventPayout, markEventHandled, type ReceivedEvent, storeBankEvent } from '../../db/bank/events'
import { findVerifiedPartner } from '../../db/wallets/live'
import { findWalletIdByRef } from '../../db/wallets/readings'
import type { Environment } from '../../domain/environment'
import type { WebhookEvent } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { readBytes } from '../http/requests/read-json'
import { uuidPattern } from '../http/requests/validate'
import type { ApiContext, RequestState } from '../http/route'
import { createWebhookReader, transferEvent } from './transfer-event'

/** 200: stored, do not send it again. 400: the signature or its time is wrong. 503: send it again later. */
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

/** Returns the outcome that is stored in bank_events. */
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

/** Wakes the verification workflow, which reads the bank itself. The sandbox has no verification. */
async function verificationEvent({ environment, objectRef }: ReceivedEvent, deps: ApiDeps): Promise<string> {
  if (environment === 'sandbox' || objectRef === null) return 'not_needed'
  const partnerId = await findVerifiedPartner(deps.db, objectRef)
  if (partnerId === null) return 'unknown_customer'
  await deps.workflows.wakeVerification(partnerId).catch((error: unknown) => {
    deps.log.warn({ err: error, partner_id: partnerId }, cannotForward)
    throw new ApiError('service_unavailable')
  })
  return 'told'
}

/** Makes the wallet workflow read the history of the wallet. Only that history is booked. */
async function walletEvent({ environment, objectRef, objectState }: ReceivedEvent, deps: ApiDeps): Promise<string> {
  // Withdrawals belong to payouts, which have their own events.
  if (objectState === 'withdrawal') return 'not_needed'
  const walletId = objectRef === null ? null : await findWalletIdByRef(deps.db, environment, objectRef)
  // A wallet that is not connected yet is read once it is connected.
  if (walletId === null) return 'unknown_wallet'
  await deps.workflows.readWallet(walletId).catch((error: unknown) => {
    deps.log.warn({ err: error, wallet_id: walletId }, cannotForward)
    throw new ApiError('service_unavailable')
  })
  return 'told'
}

const cannotForward = 'cannot forward bank event'

function storable(event: WebhookEvent, environment: Environment, rawBody: Buffer, { clock }: ApiDeps): ReceivedEvent {
  const at = clock.now()
  if (event.outcome === 'ignored') {
    // The event has no ID that we can read, so a hash of its content identifies a repeat.
    const eventId = createHash('sha256').update(rawBody).digest('hex')
    return { environment, eventId, category: unknownCategory, objectRef: null, objectState: null, payoutId: null, at }
  }
  const { eventId, category, objectRef, state, payoutId } = event
  const known = payoutId !== null && uuidPattern.test(payoutId) ? payoutId : null
  return { environment, eventId, category, objectRef, objectState: state, payoutId: known, at }
}
