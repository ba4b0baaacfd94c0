// Turns whatever stopped a command into one sentence: never a stack trace, never a password.
import { ConfigError } from '../config'
import type { PrintableError } from './print'

/** Trouble that already says in a sentence what to do about it. */
export class Trouble extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'Trouble'
  }
}

export function troubleOf(error: unknown): PrintableError {
  if (error instanceof Trouble) return { code: 'service_unavailable', message: error.message }
  if (error instanceof ConfigError) return { code: 'service_unavailable', message: error.mistakes.join(' ') }
  const codes = codesOf(error)
  const known = knownTroubles.find(({ pattern }) => codes.some((code) => pattern.test(code)))
  if (known !== undefined) return { code: 'service_unavailable', message: known.sentence }
  return { code: 'internal_error', message: `Something went wrong: ${firstLine(error)}.` }
}

// By the system's and PostgreSQL's own codes, as messages change with versions and languages; pg's own have no codes.
const knownTroubles: readonly { readonly pattern: RegExp; readonly sentence: string }[] = [
  { pattern: /^(28P01$|28000$|SASL)/, sentence: 'The database refused the user or password of DATABASE_URL.' },
  { pattern: /^3D000$/, sentence: 'The database server has no database of the name in DATABASE_URL.' },
  { pattern: /^(42P01|42703)$/, sentence: 'The database is not up to date: run npm run migrate.' },
  { pattern: /^(57014|55P03|Query read timeout)$/, sentence: 'The database is too busy to answer in time: try again.' },
  {
    pattern: /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|08|57P|53|Connection terminated|timeout)/,
    sentence: 'The database does not answer: see that it runs, and that DATABASE_URL is right where it is set.',
  },
]

interface Failure {
  readonly code?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  /** TypeORM's. */
  readonly driverError?: unknown
  /** Of a host with several addresses. */
  readonly errors?: unknown
}

// By what it carries and not by its class: an error of Node itself need not be of this realm.
function isFailure(error: unknown): error is Failure {
  return typeof error === 'object' && error !== null
}

function codesOf(error: unknown): string[] {
  if (!isFailure(error)) return []
  const { code, message, cause, driverError, errors } = error
  const own = [code, message].find((text) => typeof text === 'string')
  const inner = [cause, driverError, ...(Array.isArray(errors) ? errors : [])]
  return [...(own ? [own] : []), ...inner.flatMap(codesOf)]
}

function firstLine(error: unknown): string {
  const text = isFailure(error) && typeof error.message === 'string' ? error.message : String(error)
  return (text.split('\n')[0] ?? '').replace(/\.$/, '')
}
