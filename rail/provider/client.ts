// The HTTP client for the bank, with one connection pool and a hard deadline. Each failure states whether the request
// may have been sent.
import http from 'node:http'
import https from 'node:https'
import type { Clock } from '../../runtime/clock'

export interface BankCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly key?: string
  readonly body?: string
  /** Ends the call at this time if that is earlier than the timeout. */
  readonly endBy?: Date
}

export interface Answered {
  readonly stage: 'answered'
  readonly status: number
  /** Undefined if the response is not JSON. */
  readonly body: unknown
  readonly retryAfterMs: number | null
  /** The time of the response by the bank's clock, if the response states it. */
  readonly date?: Date | undefined
}

export type Answer =
  /** The connection was never established, so the bank cannot have seen the request. */
  | { readonly stage: 'unconnected'; readonly cause: Error }
  /** The request may have arrived. The response did not arrive, or only in part. */
  | { readonly stage: 'sent'; readonly cause: Error }
  | Answered

export interface Timeouts {
  /** The time limit for establishing the connection. */
  readonly connectMs: number
  /**
   * The time limit for the whole call, until the response is complete. It must be shorter than the caller's timeout.
   */
  readonly callMs: number
}

export interface ClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly clock: Clock
  readonly timeouts: Timeouts
  readonly around?: AroundCall | undefined
}

/** Observes each call and returns its result. Receives no IDs. */
export type AroundCall = (
  about: { readonly method: BankCall['method']; readonly template: string },
  call: () => Promise<Answer>,
) => Promise<Answer>

export interface Client {
  call(call: BankCall): Promise<Answer>
  close(): void
}

// Many servers close idle connections after five seconds, and a request that is sent at that moment is lost.
const idleMs = 4_000
const connections = 256
const answerMaxBytes = 4 * 1024 * 1024

export function createClient({ baseUrl, apiKey, clock, timeouts, around }: ClientOptions): Client {
  const { request, Agent } = baseUrl.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: idleMs, scheduling: 'lifo' })
  const root = baseUrl.replace(/\/+$/, '')

  const make = (call: BankCall): Promise<Answer> =>
    new Promise((resolve) => {
      const left = within(timeouts, call, clock)
      if (left.callMs <= 0) return resolve({ stage: 'unconnected', cause: new Error('no time left') })
      const outgoing = request(root + call.path, { agent, method: call.method, headers: headersOf(call, apiKey) })
      follow(outgoing, { call, timeouts: left, clock, resolve })
    })
  return { call: around === undefined ? make : watched(make, around), close: () => agent.destroy() }
}

function watched(make: Client['call'], around: AroundCall): Client['call'] {
  return (call) => around({ method: call.method, template: pathTemplate(call.path) }, () => make(call))
}

/** Returns the same client with one deadline for several calls. */
export function endingBy(client: Client, endBy: Date | undefined): Client {
  return endBy === undefined ? client : { ...client, call: (call) => client.call({ ...call, endBy }) }
}

function within({ connectMs, callMs }: Timeouts, { endBy }: BankCall, clock: Clock): Timeouts {
  if (endBy === undefined) return { connectMs, callMs }
  const leftMs = endBy.getTime() - clock.now().getTime()
  return { connectMs: Math.min(connectMs, leftMs), callMs: Math.min(callMs, leftMs) }
}

interface Following {
  readonly call: BankCall
  readonly timeouts: Timeouts
  readonly clock: Clock
  readonly resolve: (answer: Answer) => void
}

/** No byte is written before the connection is established, so an earlier failure proves that nothing was sent. */
function follow(outgoing: http.ClientRequest, { call, timeouts, clock, resolve }: Following): void {
  let stage: 'unconnected' | 'sent' = 'unconnected'
  const connecting = setTimeout(() => fail(new Error('no connection in time')), timeouts.connectMs)
  const running = setTimeout(() => fail(new Error('no answer in time')), timeouts.callMs)

  function finish(answer: Answer): void {
    clearTimeout(connecting)
    clearTimeout(running)
    resolve(answer)
  }
  function fail(cause: Error): void {
    finish({ stage, cause })
    outgoing.destroy()
  }
  function send(): void {
    if (outgoing.destroyed) return
    clearTimeout(connecting)
    stage = 'sent'
    outgoing.end(call.body)
  }

  outgoing.on('error', fail)
  outgoing.on('socket', (socket) => {
    if (outgoing.reusedSocket || !socket.connecting) return send()
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', send)
  })
  outgoing.on('response', (incoming) => {
    readBody(incoming, fail, (text) => {
      const retryAfterMs = retryAfter(incoming.headers['retry-after'], clock)
      const date = dateOf(incoming.headers.date)
      finish({ stage: 'answered', status: incoming.statusCode ?? 0, body: parseJson(text), retryAfterMs, date })
    })
  })
}

function readBody(incoming: http.IncomingMessage, fail: (cause: Error) => void, done: (text: string) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes > answerMaxBytes) fail(new Error('the answer is too long'))
  })
  incoming.on('end', () => done(Buffer.concat(chunks).toString('utf8')))
  // Truncated responses also fail here, because Node distinguishes the end of a connection from the end of a message.
  incoming.on('error', fail)
}

function headersOf({ key, body }: BankCall, apiKey: string): Record<string, string> {
  return {
    'Api-Key': apiKey,
    Accept: 'application/json',
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
  }
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** Parses Retry-After, which is in seconds or a date. */
function retryAfter(header: string | undefined, clock: Clock): number | null {
  if (header === undefined) return null
  if (/^\d{1,6}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - clock.now().getTime())
}

function dateOf(header: string | undefined): Date | undefined {
  const at = Date.parse(header ?? '')
  return Number.isNaN(at) ? undefined : new Date(at)
}

/** Reduces a path to its template. Keeps only words that belong to the protocol, so that no ID or email remains. */
export function pathTemplate(path: string): string {
  const [plain = ''] = path.split('?')
  return plain
    .split('/')
    .map((word) => (word === '' || words.has(word) ? word : '{id}'))
    .join('/')
}

const words = new Set([
  'customers',
  'exchange_rates',
  'external_accounts',
  'history',
  'kyc_links',
  'liquidation_addresses',
  'reactivate',
  'transfers',
  'virtual_accounts',
  'wallets',
  'webhooks',
])
