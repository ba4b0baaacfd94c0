// The test's Temporal server behind TLS that requires a client certificate, and records what it receives.
import { once } from 'node:events'
import { connect, createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { Authority, Issued } from '../../support/certificates'
import { testSystem } from '../../support/jest/system'

export interface TlsServer {
  readonly address: string
  /** The metadata of each call, newest last. */
  readonly calls: IncomingHttpHeaders[]
  close(): Promise<void>
}

export async function startTlsServer(
  own: Issued,
  clients: Authority | 'anybody',
  manners: 'serves' | 'refuses' = 'serves',
): Promise<TlsServer> {
  const temporal = connect(`http://${testSystem().temporalAddress}`)
  const calls: IncomingHttpHeaders[] = []
  const server = createSecureServer({
    cert: own.certificate,
    key: own.key,
    ...(clients === 'anybody' ? {} : { ca: clients.certificate, requestCert: true, rejectUnauthorized: true }),
  })
  const sockets = new Set<Socket>()
  server.on('secureConnection', (socket) => sockets.add(socket))
  server.on('stream', (stream, headers) => {
    calls.push(headers)
    if (manners === 'refuses') stream.respond(unauthenticated, { endStream: true })
    else passOn(stream, temporal.request({ ...headers, ':scheme': 'http' }))
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

/** The answer of a server to an unknown key. */
const unauthenticated = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-status': '16',
  'grpc-message': 'Request unauthorized.',
}

/** gRPC reports the status of a call at its end, in trailers. */
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
