// The HTTP server: Koa with its middleware in order, and the limits that Node enforces.

import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Router } from '@koa/router'
import Koa from 'koa'
import type { Log } from '../runtime/log'
import { bankWebhook } from './bank/webhook'
import { dashboard } from './dashboard'
import type { ApiDeps } from './deps'
import { docs } from './docs/routes'
import { answer } from './http/answer'
import { ApiError } from './http/errors'
import { health } from './http/health'
import { middleware, traceRequests } from './http/middleware'
import { isReadable, refuseUnreadable, refuseWith } from './http/requests/unreadable'
import type { ApiContext, RequestState, Route } from './http/route'
import { routes } from './routes'

export function createApi(deps: ApiDeps): Server {
  const app = new Koa<RequestState>()
  app.silent = true
  if (deps.tracer !== null) app.use(traceRequests(deps.tracer))
  app.use(middleware(deps))
  const router = createRouter(deps)
  app.use((context, next) => {
    refuseMethod(context)
    return next()
  })
  app.use(router.routes())
  app.use((context) => refuseUnknown(router, context))

  const handle = app.callback()
  const server = createServer(limits, (request, response) => {
    limitAnswer(response)
    if (isReadable(request)) void handle(request, response)
    else refuseWith(response, 'bad_request', deps.log)
  })
  refuseUnreadable(server, deps.log)
  limitConnections(server, deps.log)
  return server
}

const limits = {
  maxHeaderSize: 16 * 1024,
  // Slow clients are disconnected. With Node's default interval of 30 s that would take up to 45 s.
  headersTimeout: 10_000,
  requestTimeout: 12_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  requireHostHeader: false,
}

/** Well below the usual limit of file descriptors, so that files and database connections can still be opened. */
const maxConnections = 5_000
const warnAgainMs = 60_000

function limitConnections(server: Server, log: Log): void {
  let warnedAt = Number.NEGATIVE_INFINITY
  server.maxConnections = maxConnections
  server.on('drop', () => {
    if (performance.now() - warnedAt < warnAgainMs) return
    warnedAt = performance.now()
    log.warn({ max_connections: server.maxConnections }, 'refused connection: too many are open')
  })
}

/** Node notices after one or two of these periods that a client has read nothing. */
const stalledMs = 7_000
/** Longer than the longest PAYOUT_ANSWER_MS. */
const exchangeMs = 120_000
/** The minimum that a client must read of a long response in each `exchangeMs`. An export may take minutes on a slow connection. */
const leastRead = 1024 * 1024

/** Disconnects a client that stops reading, or reads less than `leastRead` per period. A handler may take up to one period. */
export function limitAnswer(response: ServerResponse, periodMs = exchangeMs): void {
  response.setTimeout(stalledMs, () => {
    if (response.socket !== null && response.socket.writableLength > 0) response.socket.destroy()
  })
  // A pipelined response gets its socket when the previous ones are sent. One that never gets a socket never emits close, so its timer would leak.
  if (response.socket === null) response.once('socket', (socket: Socket) => requireProgress(response, socket, periodMs))
  else requireProgress(response, response.socket, periodMs)
}

function requireProgress(response: ServerResponse, socket: Socket, periodMs: number): void {
  const sentBytes = () => socket.bytesWritten - socket.writableLength
  let before = sentBytes()
  const checking = setInterval(() => {
    if (sentBytes() - before < leastRead) response.destroy()
    before = sentBytes()
  }, periodMs)
  response.once('close', () => clearInterval(checking))
}

function createRouter(deps: ApiDeps): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  for (const route of routes) router.register(route.path, [route.method], answer(route, deps))
  bankWebhook(router, deps)
  health(router, deps)
  docs(router, deps)
  dashboard(router, deps)
  return router
}

/** A path without parameters never matches the `:id` of another route: in GET /v1/payouts/check, `check` is not an ID. */
function refuseMethod({ path, method }: ApiContext): void {
  const methods = methodsOfFixedPaths.get(path)
  if (methods !== undefined && !methods.includes(method)) throw methodNotAllowed(methods)
}

const methodsOfFixedPaths = new Map<string, readonly string[]>(
  routes
    .filter(({ path }) => !path.includes(':'))
    .map(({ path }) => [path, routes.filter((route) => route.path === path).flatMap(methodsOf)]),
)

function methodsOf({ method }: Route): string[] {
  return method === 'GET' ? ['HEAD', 'GET'] : [method]
}

function refuseUnknown(router: Router<RequestState>, context: ApiContext): void {
  const allowed = new Set(router.match(context.path, context.method).path.flatMap((layer) => layer.methods))
  if (allowed.size === 0) throw new ApiError('route_not_found')
  throw methodNotAllowed([...allowed])
}

function methodNotAllowed(allowed: readonly string[]): ApiError {
  return new ApiError('method_not_allowed', { headers: { Allow: allowed.join(', ') } })
}
