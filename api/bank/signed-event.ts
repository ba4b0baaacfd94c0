// Verifies the signature of a bank event with our webhook keys, and finds its environment.
import { findEventEnvironment, listWebhookKeys } from '../../db/bank/events'
import type { Environment } from '../../domain/environment'
import { readWebhook } from '../../rail/provider/webhook'
import { BadSignature, type WebhookEvent } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { uuidPattern } from '../http/requests/validate'

interface SignedEvent {
  readonly environment: Environment
  readonly event: WebhookEvent
}

type WebhookReader = (signature: string, rawBody: Buffer) => Promise<SignedEvent>

/** Keys change with the webhook address, so they are cached. An event that no cached key fits triggers a reload. */
const freshForMs = 60_000
const askAgainAfterMs = 1_000

type Keys = Awaited<ReturnType<typeof listWebhookKeys>>

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

/** All environments whose key fits: a bank may use one key for both. Null when none fits. */
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

/** An event that fits both environments belongs to the one that knows its object. */
async function environmentOf(db: ApiDeps['db'], { event, environments }: Signed): Promise<Environment> {
  const [first, ...others] = environments
  if (others.length === 0) return first
  // An event that neither knows triggers nothing. It is stored as live, where operators look first.
  if (event.outcome === 'ignored') return 'live'
  const { objectRef, payoutId } = event
  const named = payoutId !== null && uuidPattern.test(payoutId) ? payoutId : null
  return (await findEventEnvironment(db, { payoutId: named, objectRef, environments })) ?? 'live'
}
