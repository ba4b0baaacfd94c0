// The listening side: limits, timeouts, and which of the three rooms (protocol, pages, control) answers a request.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Bank } from '../bank'
import { answerControl } from '../control/control'
import type { Outages } from '../control/outages'
import { answerPage } from '../pages/pages'
import { type Reply, writeReply } from './answer'
import { Refusal, refusal } from './errors'
import { createProtocol, type Incoming } from './protocol'
import { readBody } from './read-body'

export interface ServerParts {
  readonly bank: Bank
  readonly outages: Outages
  /** "control": the address for the control plane alone. */
  readonly rooms: 'all' | 'control'
  /** A mistake of the bank's own, which its clients see as a 500. */
  readonly report: (error: unknown) => void
}

export function createBankServer(parts: ServerParts): Server {
  const { bank, outages, rooms, report } = parts
  const protocol = createProtocol({ bank })

  async function answer(request: IncomingMessage): Promise<Reply> {
    const url = addressOf(request)
    const body = await readBody(request)
    const incoming: Incoming = {
      method: request.method ?? 'GET',
      url,
      apiKey: headerOf(request, 'api-key'),
      idempotencyKey: headerOf(request, 'idempotency-key'),
      body,
    }
    if (url.pathname.startsWith('/_control/')) return answerControl({ bank, outages, incoming, request })
    if (rooms === 'control') throw refusal(404, 'not_found', 'Only the control plane answers here.')
    if (url.pathname.startsWith('/pages/')) return answerPage(bank, incoming)
    return protocol(incoming)
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    const reply = await answer(request).catch((error: unknown) => {
      if (!(error instanceof Refusal)) report(error)
      return refused(error)
    })
    if (!response.destroyed) await writeReply(response, reply)
  }

  const { requestTimeoutMs } = bank.settings
  const timeouts = { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs, keepAliveTimeout: 65_000 }
  const server = createServer(timeouts, (request, response) => {
    handle(request, response).catch(report)
  })
  server.maxRequestsPerSocket = 0
  return server
}

function addressOf(request: IncomingMessage): URL {
  const text = `http://bank${request.url ?? '/'}`
  if (!URL.canParse(text)) throw refusal(400, 'bad_request', 'The address can not be read.')
  return new URL(text)
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

function refused(error: unknown): Reply {
  const unexpected = { errors: [{ code: 'unexpected', message: 'An unexpected error occurred.' }] }
  const [status, body] = error instanceof Refusal ? [error.status, error.body] : [500, unexpected]
  // What was not read to its end can not be told from the next request.
  const headers: Record<string, string> = status === 413 ? { Connection: 'close' } : {}
  return { status, body: JSON.stringify(body), headers, wire: { kind: 'whole' } }
}
