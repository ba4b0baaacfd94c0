// Proxies in front of the test's Temporal server, which record calls: one with TLS, and one that refuses some calls.
import { once } from 'node:events'
import {
  connect,
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { Authority, Issued } from '../certificates'
import { testSystem } from '../jest/system'

export interface TemporalProxy {
  readonly address: string
  /** The metadata of each call, newest last. */
  readonly calls: IncomingHttpHeaders[]
  close(): Promise<void>
}

/** Returns the status and message of a refusal, or null to forward the call. */
type Refuse = (path: string) => { readonly status: number; readonly message: string } | null

export function startTlsServer(
  own: Issued,
  clients: Authority | 'any',
  behaviour: 'serves' | 'refuses' = 'serves',
): Promise<TemporalProxy> {
  const server = createSecureServer({
    cert: own.certificate,
    key: own.key,
    ...(clients === 'any' ? {} : { ca: clients.certificate, requestCert: true, rejectUnauthorized: true }),
  })
  // A real server gives this answer to an unknown API key.
  return startProxy(server, () => (behaviour === 'refuses' ? { status: 16, message: 'Request unauthorized.' } : null))
}

/** Starts a server that refuses some calls, as Temporal Cloud refuses OperatorService. */
export function startWithout(calls: RegExp, status: number): Promise<TemporalProxy> {
  return startProxy(createServer(), (path) => (calls.test(path) ? { status, message: 'Request refused.' } : null))
}

async function startProxy(server: Http2Server | Http2SecureServer, refuse: Refuse): Promise<TemporalProxy> {
  const temporal = connect(`http://${testSystem().temporalAddress}`)
  const calls: IncomingHttpHeaders[] = []
  const sockets = new Set<Socket>()
  for (const event of ['connection', 'secureConnection']) server.on(event, (socket) => sockets.add(socket))
  server.on('stream', (stream, headers) => {
    calls.push(headers)
    const refusal = refuse(headers[':path'] ?? '')
    if (refusal === null) passOn(stream, temporal.request({ ...headers, ':scheme': 'http' }))
    else stream.respond(answerOf(refusal), { endStream: true })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    address: `127.0.0.1:${isTcp(address) ? address.port : 0}`,
    calls,
    close: async () => {
      temporal.destroy()
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function answerOf({ status, message }: { readonly status: number; readonly message: string }) {
  return { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status), 'grpc-message': message }
}

/** Forwards a call including its trailers, in which gRPC reports the status. */
function passOn(near: ServerHttp2Stream, far: ReturnType<ReturnType<typeof connect>['request']>): void {
  let trailers: IncomingHttpHeaders = {}
  near.pipe(far)
  far.on('response', (headers, flags) => {
    const isWhole = (flags & 1) === 1
    if (near.destroyed) return
    near.respond(headers, isWhole ? { endStream: true } : { waitForTrailers: true })
    if (!isWhole) far.pipe(near)
  })
  far.on('trailers', (headers) => {
    trailers = headers
  })
  near.on('wantTrailers', () => near.sendTrailers(trailers))
  near.on('error', () => far.close())
  near.on('close', () => far.close())
  far.on('error', () => near.close())
}

function isTcp(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}
