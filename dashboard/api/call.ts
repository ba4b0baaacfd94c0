// Sends all requests to the server. Requests are JSON, and responses are JSON or a file. Throws Refusal or Unreachable,
// unless the caller aborts.

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The server answered with an error. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: unknown,
    readonly requestId: string | null,
    /** The server's Retry-After header. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message)
    this.name = 'Refusal'
  }
}

/** No usable response arrived, so it is unknown whether the server received the request. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The server could not be reached.', { cause })
    this.name = 'Unreachable'
  }
}

const timeoutMs = 30_000
/** An export of all payouts can be large. */
const fileTimeoutMs = 300_000

interface RequestContext {
  /**
   * Sent as X-Partner-Id, so that the server refuses the request if another tab has switched the session to another
   * partner.
   */
  readonly shownPartnerId: () => string | undefined
  /** Reads by an unattended page do not extend the session. */
  readonly isAttended: () => boolean
}

let context: RequestContext = { shownPartnerId: () => undefined, isAttended: () => true }

export function setRequestContext(page: RequestContext): void {
  context = page
}

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await ask(method, path, options, timeoutMs)
  const answer: unknown = await response.json().catch((error: unknown) => {
    throw new Unreachable(error)
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server's own tests compare responses with the document
  return answer as T
}

export interface ServedFile {
  readonly name: string
  readonly content: Blob
}

/** Uses fetch, because a plain link cannot send the partner's ID. */
export async function callForFile(path: string, query: CallOptions['query'] = {}): Promise<ServedFile> {
  const response = await ask('GET', path, { query }, fileTimeoutMs)
  const content = await response.blob().catch((error: unknown) => {
    throw new Unreachable(error)
  })
  const [, name = 'download'] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? []
  return { name, content }
}

async function ask(method: string, path: string, options: CallOptions, withinMs: number): Promise<Response> {
  const { query, body, headers = {}, signal } = options
  const limit = AbortSignal.timeout(withinMs)
  const response = await fetch(addressOf(path, query), {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...partnerFor(path),
      ...(method === 'GET' && !context.isAttended() ? { 'X-Background': 'true' } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : new Unreachable(error)
  })
  if (response.ok) return response
  throw refusalOf(response, await response.json().catch(() => null))
}

/** Sign-in, sign-out and switching partners do not depend on the shown partner. */
function partnerFor(path: string): Record<string, string> {
  const id = context.shownPartnerId()
  return id === undefined || /^\/v1\/(auth|public)\//.test(path) ? {} : { 'X-Partner-Id': id }
}

/** Encodes each inserted part as one path segment, so that an ID from the address bar cannot change the path. */
export function pathTo(path: TemplateStringsArray, ...parts: readonly string[]): string {
  return String.raw({ raw: path }, ...parts.map(encodeSegment))
}

/** A browser resolves `.` and `..` even when they are encoded. Encoded twice, they reach the API, which refuses them. */
function encodeSegment(part: string): string {
  return part === '.' || part === '..' ? part.replaceAll('.', '%252E') : encodeURIComponent(part)
}

function addressOf(path: string, query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).flatMap<[string, string]>(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const text = new URLSearchParams(given).toString()
  return text === '' ? path : `${path}?${text}`
}

/** An Idempotency-Key for one payout or note. Does not use randomUUID, which is unavailable on plain http pages. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `dashboard-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

const unreadable = 'The server sent an unreadable response.'

/** The ID of the latest refused request, for messages to support. */
let lastRefused: string | null = null

export const lastRefusedRequestId = () => lastRefused

function refusalOf(response: Response, answer: unknown): Refusal {
  const error = isRecord(answer) && isRecord(answer['error']) ? answer['error'] : {}
  lastRefused = idOf(response) ?? lastRefused
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  return new Refusal(
    response.status,
    text(error['code'], 'unreadable'),
    text(error['message'], unreadable),
    error['details'],
    idOf(response),
    Number(response.headers.get('Retry-After')) || null,
  )
}

export function isRateLimited(error: unknown): error is Refusal {
  return error instanceof Refusal && error.status === 429
}

/** The status that made an action impossible, such as `already_member`. */
export function stateIn(error: unknown): string | null {
  if (!(error instanceof Refusal && error.code === 'invalid_state' && isRecord(error.details))) return null
  const { status } = error.details
  return typeof status === 'string' ? status : null
}

/**
 * Maps the path of each refused field to its rule: `usdc (from 1.00 to 5.00)` becomes { usdc: 'from 1.00 to 5.00' }.
 */
export function rulesIn(error: unknown): Readonly<Record<string, string>> {
  const details = error instanceof Refusal && isRecord(error.details) ? error.details : {}
  const listed: unknown = details['errors'] ?? details['missing']
  const rules = (Array.isArray(listed) ? listed : []).flatMap<[string, string]>((each) => {
    const [, path, rule] = /^([\w.]+) \((.*)\)$/s.exec(String(each)) ?? []
    return path !== undefined && rule !== undefined ? [[path, rule]] : []
  })
  return Object.fromEntries(rules)
}

function idOf(response: Response): string | null {
  return response.headers.get('X-Request-Id')
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
