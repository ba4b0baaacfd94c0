// The HTTP server: Koa with the layers in the order a request meets them, and the limits that Node itself enforces.
import { randomUUID } from 'node:crypto'
import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Router } from '@koa/router'
import Koa from 'koa'
import type { Log } from '../log'
import { type ApiContext, answer, type RequestState } from './answer'
import { around } from './around'
import type { ApiDeps } from './deps'
import { docs } from './docs/routes'
import { ApiError, presentError } from './errors'
import { health } from './health'
import { routes } from './v1'

export function createApi(deps: ApiDeps): Server {
  const app = new Koa<RequestState>()
  app.silent = true
  app.use(around(deps))
  const router = createRouter(deps)
  app.use(router.routes())
  app.use((context) => refuseUnknown(router, context))

  const handle = app.callback()
  const server = createServer(
    { maxHeaderSize: 16 * 1024, requestTimeout: 15_000, headersTimeout: 10_000 },
    (request, response) => void handle(request, response),
  )
  server.keepAliveTimeout = 65_000
  server.on('clientError', (fault, socket: Socket) => answerUnreadable(deps.log, fault, socket))
  return server
}

function createRouter(deps: ApiDeps): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  for (const route of routes) router.register(route.path, [route.method], answer(route, deps))
  health(router, deps)
  docs(router, deps)
  return router
}

function refuseUnknown(router: Router<RequestState>, context: ApiContext): void {
  const allowed = new Set(router.match(context.path, context.method).path.flatMap((layer) => layer.methods))
  if (allowed.size === 0) throw new ApiError('route_not_found')
  throw new ApiError('method_not_allowed', { headers: { Allow: [...allowed].join(', ') } })
}

/** What Node's parser refuses never reaches Koa, and still gets the error shape of §7, an id and a line in the log. */
function answerUnreadable(log: Log, fault: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || socket.destroyed) return
  const error = new ApiError(unreadable(fault.code))
  const requestId = randomUUID()
  const body = JSON.stringify(presentError(error))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`)
  log.info({ request_id: requestId, route: null, status: error.status }, 'request')
}

function unreadable(code: string | undefined): 'headers_too_large' | 'request_timeout' | 'bad_request' {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_request'
}
