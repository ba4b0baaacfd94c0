// POST /webhooks/bank: verifies and stores an event from the bank. An event changes no balance. It only triggers a read
// from the bank.
import { createHash } from 'node:crypto'
import type { Router } from '@koa/router'
import {
  type EventPayout,
  findEvent,
  type HandledEvent,
  type ReceivedEvent,
  storeBankEvents,
} from '../../db/bank/events'
import { findVerifiedPartner } from '../../db/wallets/live'
import { findWalletIdByRef } from '../../db/wallets/readings'
import type { Environment } from '../../domain/environment'
import { isUuid } from '../../domain/uuid'
import type { WebhookEvent } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { readBytes } from '../http/requests/read-json'
import type { ApiContext, RequestState } from '../http/route'
import { createWebhookReader, transferEvent } from './transfer-event'

/**
 * Answers 200 for a stored event, 400 if the signature or its timestamp is wrong, and 503 if the bank must send the
 * event again.
 */
export function bankWebhook(router: Router<RequestState>, deps: ApiDeps): void {
  const read = createWebhookReader(deps)
  const store = createEventStore(deps)
  router.post('/webhooks/bank', async (context: ApiContext) => {
    const rawBody = await readBytes(context.req)
    const { event, environment } = await read(context.get('X-Webhook-Signature'), rawBody)
    const outcome = await receiveEvent(storable(event, environment, rawBody, deps), store, deps)
    context.body = { received: true, outcome }
  })
}

type EventStore = (event: HandledEvent) => Promise<void>

/**
 * Stores the event after handling it, in one write. If the process ends in between, the bank gets no answer and sends
 * the event again, and a workflow that is woken twice only polls twice.
 */
export async function receiveEvent(event: ReceivedEvent, store: EventStore, deps: ApiDeps): Promise<string> {
  const { handledAt, payout } = await findEvent(deps.db, event)
  if (handledAt !== null) return 'repeated'
  const known = { ...event, payoutId: payout?.payoutId ?? null }
  const outcome = await handle(event, payout, deps).catch(async (error: unknown) => {
    await store({ ...known, outcome: null, handledAt: null })
    throw error
  })
  await store({ ...known, outcome, handledAt: deps.clock.now() })
  return outcome
}

/** The bank waits this long for its answer. The workflow does not: it is woken before its event is stored. */
const collectForMs = 100

interface Waiting {
  readonly event: HandledEvent
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Collects events and stores them with one statement, because a bank sends several for each payout and every commit
 * waits for the disk. If the statement fails, each event is stored alone. If that fails as well, the bank sends the event
 * again.
 */
export function createEventStore({ db }: Pick<ApiDeps, 'db'>): EventStore {
  let waiting: Waiting[] = []

  async function storeAll(): Promise<void> {
    const batch = waiting
    waiting = []
    try {
      const events = batch.map(({ event }) => event)
      await storeBankEvents(db, events)
      for (const { resolve } of batch) resolve()
    } catch {
      // One event must not hold up the others: its payout may be locked for longer than a statement may take.
      await Promise.all(batch.map(({ event, resolve, reject }) => storeBankEvents(db, [event]).then(resolve, reject)))
    }
  }

  return (event) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setTimeout(() => void storeAll(), collectForMs)
      waiting.push({ event, resolve, reject })
    })
}

/** Returns the outcome to store in bank_events. */
async function handle(event: ReceivedEvent, payout: EventPayout | null, deps: ApiDeps): Promise<string> {
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

/** Wakes the verification workflow, which reads the status from the bank. The sandbox has no verification. */
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

/** Triggers a read of the wallet's history at the bank. Only movements in that history are booked. */
async function walletEvent({ environment, objectRef, objectState }: ReceivedEvent, deps: ApiDeps): Promise<string> {
  // Withdrawals belong to payouts, which have their own events.
  if (objectState === 'withdrawal') return 'not_needed'
  const walletId = objectRef === null ? null : await findWalletIdByRef(deps.db, environment, objectRef)
  // A wallet that is not connected yet is read when it is connected.
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
    // The event has no readable ID, so a hash of its content identifies duplicates.
    const eventId = createHash('sha256').update(rawBody).digest('hex')
    return { environment, eventId, category: unknownCategory, objectRef: null, objectState: null, payoutId: null, at }
  }
  const { eventId, category, objectRef, state, payoutId } = event
  const known = payoutId !== null && isUuid(payoutId) ? payoutId : null
  return { environment, eventId, category, objectRef, objectState: state, payoutId: known, at }
}
