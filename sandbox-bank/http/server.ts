// The HTTP server: sets limits and timeouts, and routes each request to the protocol, the pages or the control plane.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Bank } from '../bank'
import { answerControl } from '../control/control'
import type { Outages } from '../control/outages'
import { answerPage } from '../pages/pages'
import { type Reply, writeReply } from './answer'
import { Refusal, refusal } from './errors'
import { createProtocol, type Incoming } from './protocol'

interface ServerParts {
  readonly bank: Bank
  readonly outages: Outages
  /** `control`: serves only the control plane. */
  readonly serves: 'all' | 'control'
  /** Reports an internal error, which clients see as a 500. */
  readonly report: (error: unknown) => void
}

export function createBankServer(parts: ServerParts): Server {
  const { bank, outages, serves, report } = parts
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
    if (serves === 'control') throw refusal(404, 'not_found', 'Only the control plane answers here.')
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

const bodyLimitBytes = 256 * 1024

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > bodyLimitBytes) break
      pieces.push(piece)
    }
  } catch {
    throw refusal(400, 'bad_request', 'The request was interrupted.')
  }
  if (size > bodyLimitBytes) throw refusal(413, 'payload_too_large', `A body may have at most ${bodyLimitBytes} bytes.`)
  return Buffer.concat(pieces)
}

function addressOf(request: IncomingMessage): URL {
  const text = `http://bank${request.url ?? '/'}`
  if (!URL.canParse(text)) throw refusal(400, 'bad_request', 'The address cannot be parsed.')
  return new URL(text)
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

function refused(error: unknown): Reply {
  const unexpected = { errors: [{ code: 'unexpected', message: 'An unexpected error occurred.' }] }
  const [status, body] = error instanceof Refusal ? [error.status, error.body] : [500, unexpected]
  // Closes the connection, because the rest of an oversized body would be read as the next request.
  const headers: Record<string, string> = status === 413 ? { Connection: 'close' } : {}
  return { status, body: JSON.stringify(body), headers, wire: { kind: 'whole' } }
}
