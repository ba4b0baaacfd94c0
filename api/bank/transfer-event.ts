// Verifies the signature of each bank event, and wakes the payout's workflow when an event reports a change to its
// transfer.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { type EventPayout, findEventEnvironment, listWebhookKeys, type ReceivedEvent } from '../../db/bank/events'
import { setAttention } from '../../db/payouts/steps'
import type { Environment } from '../../domain/environment'
import { isUuid } from '../../domain/uuid'
import { compareTransfer } from '../../rail/compare-transfer'
import { transferStatusOf } from '../../rail/provider/map'
import { readWebhook } from '../../rail/provider/webhook'
import { BadSignature, type TransferStatus, type WebhookEvent } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'

/**
 * Wakes the payout's workflow, unless the event contradicts our ledger or changes nothing. Returns the outcome to
 * store.
 */
export async function transferEvent(event: ReceivedEvent, payout: EventPayout | null, deps: ApiDeps): Promise<string> {
  if (payout === null) {
    report(event, deps)
    return 'unknown_payout'
  }
  const compared = compareTransfer({ ref: event.objectRef, status: statusFor(event) }, payout)
  if (compared === 'contradiction') return quarantined(event, payout, deps)
  if (compared === 'known') return 'too_late'
  if (compared === 'open' && !matters(event, payout)) return 'not_needed'
  try {
    // The workflow of a completed payout has ended. A separate workflow handles its return.
    return await (payout.completedAt === null
      ? deps.workflows.signalPayout(payout)
      : deps.workflows.signalReturn(payout))
  } catch (error) {
    deps.log.warn({ err: error, payout_id: payout.payoutId }, 'cannot forward bank event')
    throw new ApiError('service_unavailable')
  }
}

/** Books nothing, because an operator must check the event first. */
async function quarantined(event: ReceivedEvent, { payoutId }: EventPayout, deps: ApiDeps): Promise<string> {
  report(event, deps)
  await setAttention(deps.db, payoutId, `bank_contradicts_${event.objectState ?? 'us'}`)
  return 'quarantined'
}

function report({ payoutId, objectRef, objectState }: ReceivedEvent, { log }: ApiDeps): void {
  log.error({ payout_id: payoutId, transfer_ref: objectRef, state: objectState }, 'the bank contradicts our books')
}

/** False for events that report a transfer in progress, unless the event is the first evidence that the bank has it. */
function matters(event: ReceivedEvent, { verdict }: EventPayout): boolean {
  return verdict === 'unknown' || event.objectState === null || statusFor(event) !== 'under_way'
}

function statusFor({ objectState }: ReceivedEvent): TransferStatus {
  return objectState === null ? 'under_way' : transferStatusOf(objectState)
}

interface SignedEvent {
  readonly environment: Environment
  readonly event: WebhookEvent
}

type WebhookReader = (signature: string, rawBody: Buffer) => Promise<SignedEvent>

/**
 * The webhook keys change only when the webhook address changes, so they are cached. An event that matches no cached
 * key triggers a reload.
 */
const freshForMs = 60_000
const askAgainAfterMs = 1_000

type Keys = readonly { readonly environment: Environment; readonly publicKey: KeyObject }[]

/** Verifies the signature of an event with our webhook keys, and finds its environment. */
export function createWebhookReader({ db, clock }: ApiDeps): WebhookReader {
  let known: Promise<Keys> = Promise.resolve([])
  let askedAtMs = Number.NEGATIVE_INFINITY

  /** Reloads at most once per `maxAgeMs`, so forged events cause at most one query per second. */
  function keysOfAge(maxAgeMs: number): Promise<Keys> {
    const now = clock.now().getTime()
    if (now - askedAtMs < maxAgeMs) return known
    askedAtMs = now
    known = loadKeys(db).catch((error: unknown) => {
      askedAtMs = Number.NEGATIVE_INFINITY
      throw error
    })
    return known
  }

  return async (signature, rawBody) => {
    const signersOf = (keys: Keys) => signedWith(keys, { signature, rawBody, clock })
    const signed = signersOf(await keysOfAge(freshForMs)) ?? signersOf(await keysOfAge(askAgainAfterMs))
    if (signed === null) throw new ApiError('bad_request', { message: 'The signature is not valid.' })
    return { event: signed.event, environment: await environmentOf(db, signed) }
  }
}

async function loadKeys(db: ApiDeps['db']): Promise<Keys> {
  const keys = await listWebhookKeys(db)
  return keys.map(({ environment, publicKey }) => ({ environment, publicKey: createPublicKey(publicKey) }))
}

interface Signed {
  readonly event: WebhookEvent
  readonly environments: readonly [Environment, ...Environment[]]
}

/**
 * Returns all environments whose key matches the signature, because a bank may use one key for both. Null if no key
 * matches.
 */
function signedWith(keys: Keys, received: Omit<Parameters<typeof readWebhook>[0], 'publicKey'>): Signed | null {
  let signed: Signed | null = null
  for (const { environment, publicKey } of keys) {
    try {
      const event = readWebhook({ ...received, publicKey })
      signed = { event, environments: signed === null ? [environment] : [...signed.environments, environment] }
    } catch (error) {
      if (!(error instanceof BadSignature)) throw error
    }
  }
  return signed
}

/** An event that matches the keys of both environments belongs to the environment that stores its object. */
async function environmentOf(db: ApiDeps['db'], { event, environments }: Signed): Promise<Environment> {
  const [first, ...others] = environments
  if (others.length === 0) return first
  // If neither environment has the object, the event triggers nothing. It is stored as live, where operators look
  // first.
  if (event.outcome === 'ignored') return 'live'
  const { objectRef, payoutId } = event
  const named = payoutId !== null && isUuid(payoutId) ? payoutId : null
  return (await findEventEnvironment(db, { payoutId: named, objectRef, environments })) ?? 'live'
}
