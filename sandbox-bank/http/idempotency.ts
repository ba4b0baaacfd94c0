// Stores one response per Idempotency-Key and replays it within a time window. Refuses a key that
// is reused with a different body or has expired.
import { createHash } from 'node:crypto'
import type { Moment } from './call'
import { headerRefusal, type Refusal, refusal } from './errors'

export interface Keyed {
  readonly key: string
  readonly fingerprint: string
}

interface InFlight {
  /** Waits while the same request is in flight. Throws if a request with another body is using the key. */
  enter(environment: string, keyed: Keyed): Promise<() => void>
}

export function readKey(header: string | undefined, method: string, path: string, body: Buffer): Keyed {
  if (header === undefined || header === '') {
    throw headerRefusal(400, 'required', 'Idempotency-Key', 'Idempotency-Key is required.')
  }
  if (header.length > 255) throw headerRefusal(400, 'invalid', 'Idempotency-Key', 'Idempotency-Key is too long.')
  // Compares bytes, so a different key order or different whitespace makes a different request.
  const fingerprint = createHash('sha256').update(`${method} ${path}\n`).update(body).digest('hex')
  return { key: header, fingerprint }
}

/** The first response for this key, or null if there was none. */
export function replay({ bank, books, now }: Moment, keyed: Keyed): { status: number; body: string } | null {
  const first = books.remembered.get(keyed.key)
  if (!first) return null
  if (now - first.createdAt > bank.settings.idempotencyWindowMs) {
    throw refusal(422, 'unprocessable_entity', 'This Idempotency-Key was used before and has expired.')
  }
  if (first.fingerprint !== keyed.fingerprint) throw differs()
  return first
}

export function createInFlight(): InFlight {
  const running = new Map<string, { fingerprint: string; done: Promise<void> }>()
  return {
    async enter(environment, keyed) {
      const name = `${environment} ${keyed.key}`
      for (let other = running.get(name); other; other = running.get(name)) {
        if (other.fingerprint !== keyed.fingerprint) throw differs()
        await other.done
      }
      return new Promise((entered) => {
        const done = new Promise<void>((leave) => {
          entered(() => {
            running.delete(name)
            leave()
          })
        })
        running.set(name, { fingerprint: keyed.fingerprint, done })
      })
    },
  }
}

function differs(): Refusal {
  return refusal(400, 'not_truly_idempotent', 'This Idempotency-Key was used with another request.')
}
