// The one place that speaks to the server: JSON in, JSON or a file out, and every failure as a Refusal or as Unreachable.

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The server understood and said no. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: unknown,
    readonly requestId: string | null,
  ) {
    super(message)
    this.name = 'Refusal'
  }
}

/** Nobody knows whether the request arrived. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The server could not be reached.', { cause })
    this.name = 'Unreachable'
  }
}

const waitAtMostMs = 30_000
/** A file of every payout is long. */
const waitForFileAtMostMs = 300_000

interface Speaker {
  /** The server refuses what the page asks for one partner when the session has become another's, as by another tab. */
  readonly shownPartnerId: () => string | undefined
  /** What the page reads while nobody is there does not keep the session open. */
  readonly isAttended: () => boolean
}

let speaker: Speaker = { shownPartnerId: () => undefined, isAttended: () => true }

export function speakFor(page: Speaker): void {
  speaker = page
}

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await ask(method, path, options, waitAtMostMs)
  const answer: unknown = await response.json().catch((error: unknown) => {
    throw new Unreachable(error)
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server's own tests hold it to its document
  return answer as T
}

export interface ServedFile {
  readonly name: string
  readonly content: Blob
}

/** By the page and not by a plain link, which could not say for which partner the page asks. */
export async function callForFile(path: string, query: CallOptions['query'] = {}): Promise<ServedFile> {
  const response = await ask('GET', path, { query }, waitForFileAtMostMs)
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
      ...(method === 'GET' && !speaker.isAttended() ? { 'X-Background': 'true' } : {}),
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

/** Signing in, out and over to another partner is the person's, whatever partner is shown. */
function partnerFor(path: string): Record<string, string> {
  const id = speaker.shownPartnerId()
  return id === undefined || /^\/v1\/(auth|public)\//.test(path) ? {} : { 'X-Partner-Id': id }
}

/** A path in which whatever is put in stays one segment: an id out of the address bar must not lead elsewhere. */
export function pathTo(path: TemplateStringsArray, ...parts: readonly string[]): string {
  return String.raw({ raw: path }, ...parts.map(encodeURIComponent))
}

function addressOf(path: string, query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).flatMap<[string, string]>(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const text = new URLSearchParams(given).toString()
  return text === '' ? path : `${path}?${text}`
}

const unreadable = 'The server answered something that could not be read.'

function refusalOf(response: Response, answer: unknown): Refusal {
  const error = isRecord(answer) && isRecord(answer['error']) ? answer['error'] : {}
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  return new Refusal(
    response.status,
    text(error['code'], 'unreadable'),
    text(error['message'], unreadable),
    error['details'],
    idOf(response),
  )
}

function idOf(response: Response): string | null {
  return response.headers.get('X-Request-Id')
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
