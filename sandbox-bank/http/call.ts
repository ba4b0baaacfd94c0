// Input and result of a protocol handler. A handler reads the books and returns the changes, but does not apply them.
import type { Bank } from '../bank'
import type { Books } from '../storage/books'
import type { Environment, Put } from '../storage/records'

/** The state of one environment, and the current time. */
export interface Moment {
  readonly bank: Bank
  readonly environment: Environment
  readonly books: Books
  readonly now: number
}

export interface Call extends Moment {
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  param(name: string): string
}

export interface Outcome {
  readonly status: number
  readonly body: unknown
  /** Name of the change in the journal. Absent if nothing changes. */
  readonly what?: string
  readonly puts?: readonly Put[]
}

/**
 * Synchronous, so that nothing runs between checking a wallet's balance and debiting it. The wallet therefore needs no
 * lock.
 */
type Handler = (call: Call) => Outcome

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly handler: Handler
  /** Every POST except verify requires an Idempotency-Key. */
  readonly key: 'required' | 'none'
}

/** A route that changes nothing. `read` returns the body. */
export const get = (path: string, read: (call: Call) => unknown): Route => {
  const handler = (call: Call) => ({ status: 200, body: read(call) })
  return { method: 'GET', path, handler, key: 'none' }
}
export const put = (path: string, handler: Handler): Route => ({ method: 'PUT', path, handler, key: 'none' })
export const remove = (path: string, handler: Handler): Route => ({ method: 'DELETE', path, handler, key: 'none' })
export const post = (path: string, handler: Handler): Route => ({ method: 'POST', path, handler, key: 'required' })

export function momentAt(bank: Bank, environment: Environment): Moment {
  return { bank, environment, books: bank.books[environment], now: bank.clock.nowMs() }
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
