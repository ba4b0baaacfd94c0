// An HTTP proxy in front of the API that loses connections at a chosen stage, and records what passes through it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { opened } from '../support/opened'

/**
 * lost: the request never arrives. unanswered: the API handles the request, but its response is lost. cut: half of the
 * response arrives. silent: nothing arrives, and the connection stays open.
 */
export type Fault = 'lost' | 'unanswered' | 'cut' | 'silent' | { readonly status: number; readonly headers?: object }

export interface Seen {
  readonly method: string
  readonly path: string
  readonly idempotencyKey: string | undefined
  readonly etag: string | undefined
  readonly at: number
  /** Null if the request did not reach the API. */
  readonly status: number | null
}

export interface FaultyProxy {
  readonly url: string
  /** The requests since the last call of `fail`, oldest first. */
  readonly seen: () => readonly Seen[]
  /** Applies these faults to the next requests, one each. Later requests pass. */
  fail(...faults: readonly Fault[]): void
}

/** A proxy for this test file. */
export function useFaultyProxy(target: () => string): FaultyProxy {
  return opened(
    () => aProxy(target()),
    ({ server }) => {
      server.close()
      server.closeAllConnections()
    },
  )
}

async function aProxy(target: string): Promise<FaultyProxy & { readonly server: Server }> {
  let faults: Fault[] = []
  let seen: Seen[] = []
  const server = createServer((request, response) => {
    const fault = faults.shift() ?? null
    const note = (status: number | null) => {
      const { method = '', url = '', headers } = request
      const idempotencyKey = headers['idempotency-key']?.toString()
      seen.push({ method, path: url, idempotencyKey, etag: headers['if-none-match'], at: performance.now(), status })
    }
    pass(target, request, response, fault, note).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    server,
    url: `http://127.0.0.1:${port}`,
    seen: () => seen,
    fail(...next) {
      faults = [...next]
      seen = []
    },
  }
}

async function pass(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault | null,
  note: (status: number | null) => void,
): Promise<void> {
  const body = await buffer(request)
  if (fault === 'lost' || fault === 'silent' || (fault !== null && typeof fault === 'object')) {
    note(null)
    if (fault === 'lost') request.socket.destroy()
    else if (fault !== 'silent') response.writeHead(fault.status, { ...fault.headers }).end('<html>')
    return
  }
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (!['host', 'connection', 'content-length'].includes(name)) headers.set(name, String(value))
  }
  const { method = '' } = request
  const sent = method === 'GET' || body.length === 0 ? {} : { body }
  const answer = await fetch(target + request.url, { method, headers, ...sent, redirect: 'manual' })
  const bytes = Buffer.from(await answer.arrayBuffer())
  note(answer.status)
  if (fault === 'unanswered') return void request.socket.destroy()
  const kept = [...answer.headers].filter(([name]) => !/^(content-encoding|transfer-encoding|connection)$/.test(name))
  const length = answer.status === 304 ? {} : { 'content-length': bytes.length }
  response.writeHead(answer.status, { ...Object.fromEntries(kept), ...length })
  if (fault !== 'cut') return void response.end(bytes)
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
}
