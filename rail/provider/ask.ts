// One question to the bank whose answer must be a success that can be read; everything else is RailUnavailable, unless who asks looks for a refusal first.
import { RailRefused, RailUnavailable } from '../rail'
import type { Answer, BankCall, Client } from './client'
import { Unreadable } from './fields'
import { readError } from './map'

export async function ask<T>(client: Client, name: string, call: BankCall, read: (body: unknown) => T): Promise<T> {
  return readAnswer(name, await client.call(call), read)
}

/** For those who look at the answer before it must be a success. */
export function readAnswer<T>(name: string, answer: Answer, read: (body: unknown) => T): T {
  if (!isSuccess(answer)) throw troubleOf(name, answer)
  try {
    return read(answer.body)
  } catch (error) {
    if (error instanceof Unreadable) throw new RailRefused(name, { cause: error })
    throw error
  }
}

export function isSuccess(answer: Answer): answer is Extract<Answer, { stage: 'answered' }> {
  return answer.stage === 'answered' && answer.status >= 200 && answer.status < 300
}

/**
 * The bank's code for why it does not take what it was asked for; null when that is not what it says. Any other status speaks of
 * our account with the bank or of its own trouble, and the same question may have another answer later.
 */
export function refusalOf(answer: Answer): string | null {
  if (answer.stage !== 'answered' || ![400, 422].includes(answer.status)) return null
  return readError(answer.body).code
}

export function isNotFound(answer: Answer): boolean {
  if (answer.stage !== 'answered') return false
  return answer.status === 404 || (answer.status === 400 && readError(answer.body).code === 'not_found')
}

/** A part of a path: the bank's ids are its own business, and one with a slash must not lead elsewhere. */
export function part(ref: string): string {
  return encodeURIComponent(ref)
}

function troubleOf(name: string, answer: Answer): RailUnavailable {
  const isAway = answer.stage !== 'answered' || answer.status >= 500 || [408, 429].includes(answer.status)
  return new (isAway ? RailUnavailable : RailRefused)(name, { cause: causeOf(answer) })
}

/** Status and code, never the message, which can echo names and account numbers. */
function causeOf(answer: Answer): Error {
  if (answer.stage !== 'answered') return answer.cause
  const { code } = readError(answer.body)
  return new Error(`HTTP ${answer.status}${code === null ? '' : ` ${code}`}`)
}
