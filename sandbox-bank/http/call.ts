// What a handler gets and gives: it reads the books and answers with what is to change, and changes nothing itself.
import type { Bank } from '../bank'
import type { Books } from '../storage/books'
import type { Environment, Put } from '../storage/records'

/** A moment at the bank: which environment, and when. */
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
  /** What to call the change in the journal; absent when nothing changes. */
  readonly what?: string
  readonly puts?: readonly Put[]
}

/** Synchronous by design: nothing comes between the check of a wallet and its debit, so this is each wallet's lock. */
export type Handler = (call: Call) => Outcome

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly handler: Handler
  /** Every POST needs an Idempotency-Key but one (verify). */
  readonly key: 'required' | 'none'
}

export const get = (path: string, handler: Handler): Route => ({ method: 'GET', path, handler, key: 'none' })
export const put = (path: string, handler: Handler): Route => ({ method: 'PUT', path, handler, key: 'none' })
export const remove = (path: string, handler: Handler): Route => ({ method: 'DELETE', path, handler, key: 'none' })
export const post = (path: string, handler: Handler): Route => ({ method: 'POST', path, handler, key: 'required' })

export function momentAt(bank: Bank, environment: Environment): Moment {
  return { bank, environment, books: bank.books[environment], now: bank.clock.nowMs() }
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
