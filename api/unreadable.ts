// Requests that never become one for Koa still get the error shape of §7, an id and a line in the log.
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Log } from '../log'
import { ApiError, type ErrorCode, presentError } from './errors'

/** What Node's own parser refuses, and the two kinds of request that it would answer in its own words. */
export function refuseUnreadable(server: Server, log: Log): void {
  server.on('clientError', (fault: NodeJS.ErrnoException, socket) => refuseOn(socket, codeOf(fault), log))
  server.on('connect', (_request, socket) => refuseOn(socket, 'method_not_allowed', log))
  server.on('checkExpectation', (_request, response) => refuseWith(response, 'bad_request', log))
}

/** A target that no URL can be read from would be an exception in every layer above. */
export function isReadable({ url = '', headers, httpVersion }: IncomingMessage): boolean {
  return (url.startsWith('/') || URL.canParse(url)) && (headers.host !== undefined || httpVersion === '1.0')
}

export function refuseWith(response: ServerResponse, code: ErrorCode, log: Log): void {
  const { status, headers, body } = refusal(code, log)
  response.writeHead(status, headers)
  response.end(body)
}

function refuseOn(socket: Duplex, code: ErrorCode, log: Log): void {
  if (!socket.writable || socket.destroyed) return
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
