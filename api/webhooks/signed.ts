// Tells which environment's bank has signed an event, by the public keys that the banks gave us when they were told our address.
import { listWebhookKeys } from '../../db/bank-events'
import type { Environment } from '../../domain/environment'
import { readWebhook } from '../../rail/provider/webhook'
import { BadSignature, type WebhookEvent } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { ApiError } from '../errors'

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
    const verified = (keys: Keys) => firstVerified(keys, { signature, rawBody, clock })
    const signed = verified(await keysOfAge(freshForMs)) ?? verified(await keysOfAge(askAgainAfterMs))
    if (signed === null) throw new ApiError('bad_request', { message: 'The signature does not hold.' })
    return signed
  }
}

function firstVerified(keys: Keys, received: Omit<Parameters<typeof readWebhook>[0], 'publicKey'>): SignedEvent | null {
  for (const { environment, publicKey } of keys) {
    try {
      return { environment, event: readWebhook({ ...received, publicKey }) }
    } catch (error) {
      if (!(error instanceof BadSignature)) throw error
    }
  }
  return null
}
