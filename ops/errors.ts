// Turns any error into one sentence, without stack traces or passwords.

import { awayPattern, busyPattern, errorCodes } from '../db/errors'
import { RailUnavailable } from '../rail/rail'
import { ConfigError } from '../runtime/config/config'
import type { PrintableError } from './print'

/** An error whose message already states what the operator should do. */
export class OperatorError extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'OperatorError'
  }
}

/** An error that a command has already converted for printing. */
export class CommandError extends Error {
  constructor(readonly printable: PrintableError) {
    super(printable.message)
    this.name = 'CommandError'
  }
}

export function printableErrorOf(error: unknown): PrintableError {
  if (error instanceof CommandError) return error.printable
  if (error instanceof OperatorError) return { code: 'service_unavailable', message: error.message }
  if (error instanceof ConfigError) return { code: 'service_unavailable', message: error.mistakes.join(' ') }
  if (error instanceof RailUnavailable) return { code: 'provider_unavailable', message: bankIsAway }
  const codes = errorCodes(error)
  const known = knownErrors.find(({ pattern }) => codes.some((code) => pattern.test(code)))
  if (known !== undefined) return { code: 'service_unavailable', message: known.sentence }
  return { code: 'internal_error', message: `Unexpected error: ${firstLine(error)}.` }
}

const bankIsAway = 'The bank does not answer: check that it is running, then repeat the command.'

const knownErrors: readonly { readonly pattern: RegExp; readonly sentence: string }[] = [
  { pattern: /^(28P01$|28000$|SASL)/, sentence: 'The database refused the user or password of DATABASE_URL.' },
  { pattern: /^3D000$/, sentence: 'The database server has no database with the name in DATABASE_URL.' },
  { pattern: /^42501$/, sentence: 'The database role of DATABASE_URL may only read, so it cannot do this.' },
  { pattern: /^(42P01|42703)$/, sentence: 'The database is not up to date: run `npm run migrate`.' },
  { pattern: busyPattern, sentence: 'The database is too busy to answer in time: try again.' },
  {
    pattern: awayPattern,
    sentence: 'The database does not answer: check that it is running and that DATABASE_URL, if set, is correct.',
  },
]

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return (text.split('\n')[0] ?? '').replace(/\.$/, '')
}
