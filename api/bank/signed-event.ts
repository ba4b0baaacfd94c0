// Verifies an event by the keys that the banks gave us with their webhooks, and finds the environment it belongs to.
import { findEventEnvironment, listWebhookKeys } from '../../db/bank/events'
import type { Environment } from '../../domain/environment'
import { readWebhook } from '../../rail/provider/webhook'
import { BadSignature, type WebhookEvent } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { uuidPattern } from '../http/requests/validate'

export interface SignedEvent {
  readonly environment: Environment
  readonly event: WebhookEvent
}

export type WebhookReader = (signature: string, rawBody: Buffer) => Promise<SignedEvent>

/** Keys change when an address does, so they are kept for a while; an event that none of them fits may bring a newer one. */
const freshForMs = 60_000
const askAgainAfterMs = 1_000

type Keys = Awaited<ReturnType<typeof listWebhookKeys>>

export function createWebhookReader({ db, clock }: ApiDeps): WebhookReader {
  let known: Promise<Keys> = Promise.resolve([])
  let askedAtMs = Number.NEGATIVE_INFINITY

  /** However many forged events come, the database is asked once a second. */
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
    if (signed === null) throw new ApiError('bad_request', { message: 'The signature does not hold.' })
    return { event: signed.event, environment: await environmentOf(db, signed) }
  }
}

interface Signed {
  readonly event: WebhookEvent
  readonly environments: readonly [Environment, ...Environment[]]
}

/** Every environment whose key fits: a bank may sign for both with one key. Null when none does. */
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

/** An event that both may have signed belongs to the environment that knows what it is about. */
async function environmentOf(db: ApiDeps['db'], { event, environments }: Signed): Promise<Environment> {
  const [first, ...others] = environments
  if (others.length === 0) return first
  // What neither knows wakes nothing in either; live is where it is looked for first.
  if (event.outcome === 'ignored') return 'live'
  const { objectRef, payoutId } = event
  const named = payoutId !== null && uuidPattern.test(payoutId) ? payoutId : null
  return (await findEventEnvironment(db, { payoutId: named, objectRef, environments })) ?? 'live'
}
