// Sends one call to the API: authentication, timeouts, retries and errors.
import { ApiError, NetworkError, PayoutsError, TimeoutError } from './errors'
import type { IdempotencyKey } from './idempotency-key'

export interface ClientOptions {
  /** The secret of an API key. Its prefix, kp_sandbox_ or kp_live_, decides the environment. */
  readonly apiKey: string
  /** The address of the API, such as https://payouts.example.com. */
  readonly baseUrl: string
  /** The time limit for each attempt. The API can take 8 seconds to answer. The default is 20,000. */
  readonly timeoutMs?: number
  /** How often a call is retried. The default is 3. */
  readonly maxRetries?: number
  /** Replaces the global fetch. */
  readonly fetch?: typeof fetch
}

/** Options for a single call. They override those of the client. */
export interface CallOptions {
  readonly timeoutMs?: number
  readonly maxRetries?: number
  /** Ends the call. It then rejects with the reason of the signal. */
  readonly signal?: AbortSignal
}

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly query?: Query
  readonly body?: unknown
  readonly idempotencyKey?: IdempotencyKey
  readonly etag?: string | null
  /** Whether the call can be sent twice without a second effect. Other calls are never retried. */
  readonly repeat: 'safe' | 'unsafe'
  readonly onRetry?: () => void
}

export interface Answer {
  readonly status: number
  readonly etag: string | null
  readonly bytes: ArrayBuffer
}

export type Transport = (call: Call, options?: CallOptions) => Promise<Answer>

const defaultTimeoutMs = 20_000
const defaultMaxRetries = 3
const firstBackoffMs = 500
const maxBackoffMs = 8_000
/** The API asks for longer pauses only if an hourly limit is used up. The caller decides whether to wait that long. */
const maxRetryAfterMs = 60_000
/** A longer timer would fire immediately. */
const maxTimerMs = 2 ** 31 - 1

export function createTransport(client: ClientOptions): Transport {
  const authorization = `Bearer ${checkedKey(client.apiKey)}`
  const base = baseOf(client)
  const send = client.fetch ?? ((url: string, init: RequestInit) => fetch(url, init))

  const attempt = (call: Call, body: string | undefined, signal: AbortSignal): Promise<Answer> =>
    answered(() =>
      send(base + call.path + queryString(call.query), {
        method: call.method,
        headers: headersOf(call, authorization),
        signal,
        // A redirected POST would become a GET.
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
      }),
    )

  return async (call, options = {}) => {
    const { signal } = options
    const timeoutMs = options.timeoutMs ?? client.timeoutMs ?? defaultTimeoutMs
    const maxRetries = call.repeat === 'safe' ? (options.maxRetries ?? client.maxRetries ?? defaultMaxRetries) : 0
    // Each attempt sends the same bytes, even if the caller changes the object between attempts.
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    for (let retries = 0; ; retries++) {
      try {
        return await within(timeoutMs, signal, (limited) => attempt(call, body, limited))
      } catch (error) {
        const pauseMs = retries < maxRetries ? pauseAfter(error, retries) : null
        if (pauseMs === null) throw error
        await sleep(pauseMs, signal)
        call.onRetry?.()
      }
    }
  }
}

/** Runs `work` with a signal that aborts after `timeoutMs`, or when the caller's signal aborts. */
export async function within<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be a positive number.')
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  const timeout = new TimeoutError(`No result within ${timeoutMs} ms.`)
  const timer = setTimeout(() => controller.abort(timeout), Math.min(timeoutMs, maxTimerMs))
  signal?.addEventListener('abort', abort)
  try {
    return await work(controller.signal)
  } catch (error) {
    // fetch wraps or replaces the reason in some runtimes.
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      },
      Math.min(ms, maxTimerMs),
    )
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

export async function jsonOf<T>(answer: Answer | Promise<Answer>): Promise<T> {
  const { bytes } = await answer
  try {
    return JSON.parse(textOf(bytes))
  } catch {
    const message = 'The response is not JSON, so it does not come from the API.'
    throw new PayoutsError(message, unexpectedResponse, true)
  }
}

export function textOf(bytes: ArrayBuffer): string {
  return new TextDecoder().decode(bytes)
}

/** Returns the part of a path for an ID. An empty or malformed ID must not address another route. */
export function idPart(id: string): string {
  if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id)) throw new TypeError('The ID is empty or malformed.')
  return id
}

async function answered(send: () => Promise<Response>): Promise<Answer> {
  try {
    const response = await send()
    const bytes = await response.arrayBuffer()
    if (!response.ok && response.status !== 304) throw refusalOf(response, textOf(bytes))
    return { status: response.status, etag: response.headers.get('ETag'), bytes }
  } catch (error) {
    if (error instanceof PayoutsError) throw error
    throw new NetworkError('The connection failed before a complete response arrived.', { cause: error })
  }
}

function refusalOf({ status, headers }: Response, text: string): ApiError {
  const { code, message, details } = errorIn(text)
  return new ApiError({
    status,
    code: code ?? unexpectedResponse,
    message: message ?? `The response has the status ${status} and is not an error of the API.`,
    details,
    requestId: headers.get('X-Request-Id'),
    retryAfterMs: retryAfterOf(headers),
  })
}

const unexpectedResponse = 'unexpected_response'

interface ErrorFields {
  readonly code?: string
  readonly message?: string
  readonly details?: unknown
}

/** Empty if the response does not come from the API but, for example, from a proxy in front of it. */
function errorIn(text: string): ErrorFields {
  try {
    const { code, message, details } = JSON.parse(text).error
    return typeof code === 'string' && typeof message === 'string' ? { code, message, details } : {}
  } catch {
    return {}
  }
}

/** The header contains seconds or a date. A date is compared with the clock of the server that sent it. */
function retryAfterOf(headers: Headers): number | null {
  const value = headers.get('Retry-After')
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.parse(headers.get('Date') ?? '')
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

/** Returns how long to wait before the next attempt, or null if there must not be one. */
function pauseAfter(error: unknown, retries: number): number | null {
  if (!(error instanceof PayoutsError) || !error.isRetryable) return null
  const backoffMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** retries)
  const jittered = backoffMs * (0.5 + Math.random() / 2)
  const retryAfterMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
  if (retryAfterMs > maxRetryAfterMs) return null
  // Clients that were refused together return at different times.
  return retryAfterMs + jittered
}

function headersOf({ body, idempotencyKey, etag }: Call, authorization: string): Record<string, string> {
  return {
    Authorization: authorization,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    ...(etag ? { 'If-None-Match': etag } : {}),
  }
}

function queryString(query: Query = {}): string {
  const search = new URLSearchParams()
  // A list becomes text with commas, as the API expects it.
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

/** A key that moves real money is never sent without encryption, except to this machine. */
function baseOf({ baseUrl, apiKey }: ClientOptions): string {
  if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(baseUrl)) throw new TypeError('baseUrl must be an http or https URL.')
  const isReadable =
    baseUrl.startsWith('http:') && !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(baseUrl)
  if (isReadable && apiKey.startsWith('kp_live_'))
    throw new TypeError('baseUrl must start with https:// for a live key.')
  return baseUrl.replace(/\/+$/, '')
}

/** Refuses a malformed key here, because the runtime's own error about a header would contain it. */
function checkedKey(apiKey: string): string {
  if (!/^kp_(sandbox|live)_[\w-]+$/.test(apiKey)) throw new TypeError('apiKey must start with kp_sandbox_ or kp_live_.')
  return apiKey
}
