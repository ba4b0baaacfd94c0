// JSON lines on standard output, one per event, with nothing in them that names a person or opens a door.

import { types } from 'node:util'
import { type DestinationStream, type Logger, destination as openDestination, pino, stdTimeFunctions } from 'pino'
import type { LogLevel } from './config/config'

export type Log = Logger

export interface ErrorDescription {
  readonly type: string
  readonly message: string
  readonly code?: string | number
  readonly stack?: string
  readonly cause?: ErrorDescription
}

export function createLog(options: { level: LogLevel; name: string }, destination?: DestinationStream): Log {
  const settings = {
    level: options.level,
    base: { name: options.name },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: withoutSecretFields },
    // Ours instead of pino's own, which would take what the formatter made of an error apart again.
    serializers: { err: (value: unknown) => (isError(value) ? describeError(value) : value) },
    // The fields of a child log do not pass the formatter; deeper paths here would cost 160 µs a line instead of half of one.
    redact: { paths: secretFields.map((field) => `["${field}"]`), censor: redacted },
  }
  return destination ? pino(settings, destination) : pino(settings)
}

/** Standard output in larger pieces, at the latest after a moment: a write per line would cost more than the line. */
export function pooledOutput(): DestinationStream & { flushSync(): void } {
  const output = openDestination({ dest: 1, sync: true, minLength: 8_192 })
  setInterval(() => output.flush(), 200).unref()
  process.once('exit', () => flushAtTheEnd(output))
  return output
}

/** Where nobody reads any more, flushSync would try for ever and the process never end; flush finds that out, and it then does nothing. */
function flushAtTheEnd(output: { flush(): void; flushSync(): void }): void {
  output.flush()
  output.flushSync()
}

/** What an error may say about itself: its other fields (a query's parameters, a row's values) stay out of the log. */
export function describeError(error: unknown): ErrorDescription {
  if (!isError(error)) return { type: typeof error, message: 'Something other than an error was thrown.' }
  const [first] = error.message === '' && 'errors' in error && Array.isArray(error.errors) ? error.errors : []
  // A host with several addresses fails once for each of them, in an error that says nothing itself.
  if (first !== undefined) return describeError(first)
  const code = codeOf(error)
  const message = quotesAValue(code) ? 'PostgreSQL refused a value.' : error.message
  return {
    type: error.name,
    message,
    ...(code === null ? {} : { code }),
    ...(error.stack ? { stack: error.stack.replace(error.message, () => message) } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

const redacted = '[redacted]'
const deepest = 6

const secretFields = [
  'authorization',
  'cookie',
  'set-cookie',
  'secret',
  'password',
  'token',
  'api_key',
  'secret_keys',
  'database_url',
  'confirm_code',
  'body',
  'recipient',
  'address',
  'email',
  'billing_email',
  'contact_email',
  'first_name',
  'last_name',
  'account_number',
  'sort_code',
] as const

const secretNames = new Set(secretFields.map(plainName))

function withoutSecretFields(fields: object): Record<string, unknown> {
  const all: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) all[name] = shown(name, value, 1)
  return all
}

function shown(name: string, value: unknown, depth: number): unknown {
  if (isSecret(name)) return redacted
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (isError(value)) return describeError(value)
  if (depth === deepest || ArrayBuffer.isView(value)) return `[${value.constructor?.name ?? 'object'}]`
  if (Array.isArray(value)) return value.map((item) => shown('', item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, shown(inner, item, depth + 1)]))
}

/** Remembered, as the same few names come in every line; an object's own keys could be any number of names. */
function isSecret(name: string): boolean {
  const known = secrecy.get(name)
  if (known !== undefined) return known
  const secret = secretNames.has(plainName(name))
  if (secrecy.size < 1_000) secrecy.set(name, secret)
  return secret
}

const secrecy = new Map<string, boolean>()

/** One spelling for sort_code, sortCode and Sort-Code. */
function plainName(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase()
}

/** Errors of Node itself and of the workflow sandbox come from another realm, where instanceof does not see them. */
function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value)
}

function codeOf(error: Error): string | number | null {
  return 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : null
}

/** The messages of SQLSTATE class 22 repeat the value that was wrong. */
function quotesAValue(code: unknown): boolean {
  return typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code)
}
