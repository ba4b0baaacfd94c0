// Writes JSON log lines to standard output, one per event, without personal data or secrets.

import { types } from 'node:util'
import { type DestinationStream, type Logger, destination as openDestination, pino, stdTimeFunctions } from 'pino'
import type { LogLevel } from './config/config'

export type Log = Logger

interface ErrorDescription {
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
    // Replaces pino's own serializer, which would serialize the formatter's result a second time.
    serializers: { err: (value: unknown) => (isError(value) ? describeError(value) : value) },
    // The formatter does not see the fields of a child logger, so pino redacts them. Redacting deeper paths would
    // take 160 µs per line instead of 0.5 µs.
    redact: { paths: secretFields.map((field) => `["${field}"]`), censor: redacted },
  }
  return destination ? pino(settings, destination) : pino(settings)
}

/** Buffers standard output for at most 200 ms, because a write per line costs more than the line itself. */
export function bufferedOutput(): DestinationStream & { flushSync(): void } {
  const output = openDestination({ dest: 1, sync: true, minLength: 8_192 })
  setInterval(() => output.flush(), 200).unref()
  process.once('exit', () => flushOnExit(output))
  return output
}

/**
 * On a closed pipe, flushSync alone would retry forever. flush detects the closed pipe, and flushSync then does
 * nothing.
 */
function flushOnExit(output: { flush(): void; flushSync(): void }): void {
  output.flush()
  output.flushSync()
}

/** The loggable part of an error. Its other fields, such as query parameters or row values, stay out of the log. */
export function describeError(error: unknown): ErrorDescription {
  if (!isError(error)) return { type: typeof error, message: 'A value that is not an error was thrown.' }
  const [first] = error.message === '' && 'errors' in error && Array.isArray(error.errors) ? error.errors : []
  // A host with several addresses fails once for each, in an AggregateError with an empty message.
  if (first !== undefined) return describeError(first)
  const code = codeOf(error)
  const message = quotesValue(code) ? 'PostgreSQL rejected a value.' : error.message
  return {
    type: error.name,
    message,
    ...(code === null ? {} : { code }),
    ...(error.stack ? { stack: error.stack.replace(error.message, () => message) } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

const redacted = '[redacted]'
const maxDepth = 6

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
  if (depth === maxDepth || ArrayBuffer.isView(value)) return `[${value.constructor?.name ?? 'object'}]`
  if (Array.isArray(value)) return value.map((item) => shown('', item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, shown(inner, item, depth + 1)]))
}

/**
 * Cached, because the same few names occur in every line. The cache is bounded, because an object can have any keys.
 */
function isSecret(name: string): boolean {
  const known = secretCache.get(name)
  if (known !== undefined) return known
  const secret = secretNames.has(plainName(name))
  if (secretCache.size < 1_000) secretCache.set(name, secret)
  return secret
}

const secretCache = new Map<string, boolean>()

/** Gives sort_code, sortCode and Sort-Code the same spelling. */
function plainName(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase()
}

/** Errors from Node.js and the workflow sandbox can belong to another realm, for which instanceof fails. */
function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value)
}

function codeOf(error: Error): string | number | null {
  return 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : null
}

/** Error messages in SQLSTATE class 22 repeat the invalid value. */
function quotesValue(code: unknown): boolean {
  return typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code)
}
