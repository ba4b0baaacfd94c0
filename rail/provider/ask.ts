// Makes one request to the bank that must succeed with a readable response. Any other result throws RailUnavailable,
// unless the caller checks for a refusal first.
import { RailRefused, RailUnavailable } from '../rail'
import { causeOf } from './cause'
import type { Answer, Answered, BankCall, Client } from './client'
import { Unreadable } from './fields'
import { readError } from './map'

export async function ask<T>(client: Client, name: string, call: BankCall, read: (body: unknown) => T): Promise<T> {
  return readAnswer(name, await client.call(call), read)
}

/** Reads a response, for callers that inspect it first. */
export function readAnswer<T>(name: string, answer: Answer, read: (body: unknown) => T): T {
  if (!isSuccess(answer)) throw troubleOf(name, answer)
  try {
    return read(answer.body)
  } catch (error) {
    if (error instanceof Unreadable) throw new RailRefused(name, { cause: error, answer: causeOf(answer) })
    throw error
  }
}

export function isSuccess(answer: Answer): answer is Answered {
  return answer.stage === 'answered' && answer.status >= 200 && answer.status < 300
}

/**
 * Returns the bank's code for a refusal of the request itself, or null for other responses. Any other status means a
 * problem with our account or a failure of the bank, and the same request may succeed later.
 */
export function refusalOf(answer: Answer): string | null {
  if (answer.stage !== 'answered' || ![400, 422].includes(answer.status)) return null
  return readError(answer.body).code
}

export function isNotFound(answer: Answer): boolean {
  if (answer.stage !== 'answered') return false
  return answer.status === 404 || (answer.status === 400 && readError(answer.body).code === 'not_found')
}

/** Escapes an ID, so that an ID with a slash cannot change the path. */
export function part(ref: string): string {
  return encodeURIComponent(ref)
}

function troubleOf(name: string, answer: Answer): RailUnavailable {
  const isAway = answer.stage !== 'answered' || answer.status >= 500 || [408, 429].includes(answer.status)
  const cause = answer.stage === 'answered' ? {} : { cause: answer.cause }
  return new (isAway ? RailUnavailable : RailRefused)(name, { ...cause, answer: causeOf(answer) })
}
