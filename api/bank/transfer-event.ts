// Verifies the signature of bank events, and wakes the workflow of the payout whose transfer an event is about.
import { type EventPayout, findEventEnvironment, listWebhookKeys, type ReceivedEvent } from '../../db/bank/events'
import { setAttention } from '../../db/payouts/steps'
import type { Environment } from '../../domain/environment'
import { compareTransfer } from '../../rail/compare-transfer'
import { transferStatusOf } from '../../rail/provider/map'
import { readWebhook } from '../../rail/provider/webhook'
import { BadSignature, type TransferStatus, type WebhookEvent } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { uuidPattern } from '../http/requests/validate'

/** Wakes the workflow of the payout, unless the event contradicts our ledger. */
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

/** Books nothing: an operator must check the event. */
async function quarantined(event: ReceivedEvent, { payoutId }: EventPayout, deps: ApiDeps): Promise<string> {
  report(event, deps)
  await setAttention(deps.db, payoutId, `bank_contradicts_${event.objectState ?? 'us'}`)
  return 'quarantined'
}

function report({ payoutId, objectRef, objectState }: ReceivedEvent, { log }: ApiDeps): void {
  log.error({ payout_id: payoutId, transfer_ref: objectRef, state: objectState }, 'the bank contradicts our books')
}

/** A transfer in progress changes nothing, unless it is the first sign that the bank has the transfer. */
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

/** Keys change only with the webhook address, so they are cached. An event that matches no cached key triggers a reload. */
const freshForMs = 60_000
const askAgainAfterMs = 1_000

type Keys = Awaited<ReturnType<typeof listWebhookKeys>>

/** Verifies the signature of an event with our webhook keys, and finds its environment. */
export function createWebhookReader({ db, clock }: ApiDeps): WebhookReader {
  let known: Promise<Keys> = Promise.resolve([])
  let askedAtMs = Number.NEGATIVE_INFINITY

  /** Forged events cause at most one query per second. */
  function keysOfAge(maxAgeMs: number): Promise<Keys> {
    const now = clock.now().getTime()
    if (now - askedAtMs < maxAgeMs) return known
    askedAtMs = now
    known = listWebhookKeys(db).catch((error: unknown) => {
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

interface Signed {
  readonly event: WebhookEvent
  readonly environments: readonly [Environment, ...Environment[]]
}

/** All environments whose key matches the signature: a bank may use one key for both. Null if no key matches. */
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

/** An event that matches the keys of both environments belongs to the environment that has its object. */
async function environmentOf(db: ApiDeps['db'], { event, environments }: Signed): Promise<Environment> {
  const [first, ...others] = environments
  if (others.length === 0) return first
  // An event that neither environment knows triggers nothing. It is stored as live, where operators look first.
  if (event.outcome === 'ignored') return 'live'
  const { objectRef, payoutId } = event
  const named = payoutId !== null && uuidPattern.test(payoutId) ? payoutId : null
  return (await findEventEnvironment(db, { payoutId: named, objectRef, environments })) ?? 'live'
}
