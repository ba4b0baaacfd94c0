// Answers requests that never reach Koa, in the API's error format, with a request ID and a log line.
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Log } from '../../../runtime/log'
import { ApiError, type ErrorCode, presentError } from '../errors'

/** Handles requests that Node's parser refuses, and CONNECT and Expect requests, which Node would answer itself. */
export function refuseUnreadable(server: Server, log: Log): void {
  server.on('clientError', (fault: NodeJS.ErrnoException, socket) => refuseOn(socket, codeOf(fault), log))
  server.on('connect', (_request, socket) => refuseOn(socket, 'method_not_allowed', log))
  server.on('checkExpectation', (_request, response) => refuseWith(response, 'bad_request', log))
}

/**
 * A target that cannot be parsed would throw in every later layer. If there are two Host headers, proxies may disagree
 * about the host.
 */
export function isReadable({ url = '', rawHeaders, httpVersion }: IncomingMessage): boolean {
  const isHost = (text: string, index: number) => index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host'
  const hosts = rawHeaders.filter(isHost).length
  return (url.startsWith('/') || URL.canParse(url)) && (hosts === 1 || (hosts === 0 && httpVersion === '1.0'))
}

export function refuseWith(response: ServerResponse, code: ErrorCode, log: Log): void {
  const { status, headers, body } = refusal(code, log)
  response.writeHead(status, headers)
  response.end(body)
}

/** How long a refused client may take to read the response. */
const lingerMs = 1_000

/**
 * Node does not close the socket. We destroy it, because a client that never closes its side would keep the socket
 * half-open forever.
 */
function refuseOn(socket: Duplex, code: ErrorCode, log: Log): void {
  // After a CONNECT, Node no longer listens for errors: a reset without this listener would end the process.
  socket.on('error', () => socket.destroy())
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const linger = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(linger))
  const { status, headers, body } = refusal(code, log)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

function refusal(
  code: ErrorCode,
  log: Log,
): { status: number; headers: Record<string, string | number>; body: string } {
  const error = new ApiError(code)
  const requestId = randomUUID()
  const body = JSON.stringify(presentError(error))
  log.info({ request_id: requestId, route: null, status: error.status }, 'request')
  return {
    status: error.status,
    body,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      Connection: 'close',
    },
  }
}

function codeOf({ code }: NodeJS.ErrnoException): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_request'
}
