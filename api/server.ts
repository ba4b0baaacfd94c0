// The HTTP server: Koa with its middleware in order, and the limits that Node enforces.

import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Router } from '@koa/router'
import Koa from 'koa'
import { missingMigrations } from '../db/migrate'
import type { Log } from '../runtime/log'
import { bankWebhook } from './bank/webhook'
import { dashboard, leadBrowser } from './dashboard'
import type { ApiDeps } from './deps'
import { docs } from './docs/routes'
import { answer } from './http/answer'
import { ApiError } from './http/errors'
import { middleware, traceRequests } from './http/middleware'
import { isReadable, refuseUnreadable, refuseWith } from './http/requests/unreadable'
import type { ApiContext, RequestState, Route } from './http/route'
import { routes } from './routes'

export function createApi(deps: ApiDeps): Server {
  const app = new Koa<RequestState>()
  app.silent = true
  if (deps.tracer !== null) app.use(traceRequests(deps.tracer))
  app.use(middleware(deps))
  app.use(leadBrowser)
  const answers = routes.map((route) => ({ route, run: answer(route, deps) }))
  const findDirectly = directLookup(answers)
  const router = createRouter(answers, deps)
  app.use((context, next) => {
    const found = findDirectly(context)
    if (found !== null) return found(context)
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
  // Slow clients are disconnected. With Node's default check interval of 30 s, that would take up to 42 s.
  headersTimeout: 10_000,
  requestTimeout: 12_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  requireHostHeader: false,
}

/** Well below the usual limit on file descriptors, so that files and database connections can still be opened. */
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

/** After one or two of these periods, Node detects that a client has read nothing. */
const stalledMs = 7_000
/** Longer than the longest PAYOUT_ANSWER_MS. */
const exchangeMs = 120_000
/**
 * A client must read at least this many bytes of a long response in each `exchangeMs`. An export may take minutes on a
 * slow connection.
 */
const leastRead = 1024 * 1024
/** A compressed export has about a tenth of the bytes, and the database may be the slower part. */
const leastReadCompressed = leastRead / 10

/**
 * Disconnects a client that stops reading, or reads less than `leastRead` per period. A handler may take up to one
 * period.
 */
export function limitAnswer(response: ServerResponse, periodMs = exchangeMs): void {
  response.setTimeout(stalledMs, () => {
    if (response.socket !== null && response.socket.writableLength > 0) response.socket.destroy()
  })
  // A pipelined response gets its socket when the previous ones are sent. A response that never gets a socket never
  // emits `close`, so a timer started now would leak.
  if (response.socket === null) response.once('socket', (socket: Socket) => requireProgress(response, socket, periodMs))
  else requireProgress(response, response.socket, periodMs)
}

function requireProgress(response: ServerResponse, socket: Socket, periodMs: number): void {
  const sentBytes = () => socket.bytesWritten - socket.writableLength
  let before = sentBytes()
  const checking = setInterval(() => {
    const least = response.hasHeader('Content-Encoding') ? leastReadCompressed : leastRead
    if (sentBytes() - before < least) response.destroy()
    before = sentBytes()
  }, periodMs)
  response.once('close', () => clearInterval(checking))
}

interface AnsweredRoute {
  readonly route: Route
  readonly run: (context: ApiContext) => Promise<void>
}

/**
 * Finds a route with one lookup, by its method and its path without IDs. The router would test the patterns of all
 * routes. It handles what is not found here: HEAD, IDs that are no UUIDs, other pages and unknown paths.
 */
function directLookup(answers: readonly AnsweredRoute[]): (context: ApiContext) => AnsweredRoute['run'] | null {
  const known = new Map(
    answers.map(({ route: { method, path }, run }) => {
      const params = path.match(/(?<=:)\w+/g) ?? []
      return [`${method} ${path.replaceAll(/:\w+/g, ':')}`, { params, run }]
    }),
  )
  return (context) => {
    const { method, path } = context
    const fixed = known.get(`${method} ${path}`)
    if (fixed !== undefined && fixed.params.length === 0) return fixed.run
    const found = known.get(`${method} ${path.replaceAll(uuidInPath, ':')}`)
    const ids = path.match(uuidInPath) ?? []
    if (found === undefined || found.params.length !== ids.length) return null
    context.params = Object.fromEntries(found.params.map((name, index) => [name, ids[index] ?? '']))
    return found.run
  }
}

const uuidInPath = /(?<=\/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\/|$)/gi

function createRouter(answers: readonly AnsweredRoute[], deps: ApiDeps): Router<RequestState> {
  const router = new Router<RequestState>({ strict: true, sensitive: true })
  for (const { route, run } of answers) router.register(route.path, [route.method], run)
  bankWebhook(router, deps)
  health(router, deps)
  docs(router, deps)
  dashboard(router, deps)
  return router
}

/** Without this check, GET /v1/payouts/check would match `/v1/payouts/:id` with `check` as the ID. */
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

/** All requests within this time share one check of PostgreSQL and Temporal. */
const shareForMs = 500

/** Liveness and readiness: whether the process is running, and whether it can serve requests. */
function health(router: Router<RequestState>, deps: ApiDeps): void {
  const readiness = createReadiness(deps)
  router.get('/healthz', (context) => {
    context.body = { status: 'ok' }
  })
  router.get('/readyz', async (context) => {
    const { reasons, ...checks } = await readiness()
    const ready = reasons.length === 0
    context.status = ready ? 200 : 503
    context.body = { status: ready ? 'ok' : 'unavailable', ...checks, ...(ready ? {} : { reasons }) }
  })
}

interface Readiness {
  readonly postgres: Reachable
  /** `behind`: a migration of this build has not run. `unknown`: PostgreSQL did not answer. */
  readonly schema: 'ok' | 'behind' | 'unknown'
  readonly temporal: Reachable
  /** One sentence for each failed check. Empty if the API is ready. */
  readonly reasons: readonly string[]
}

type Reachable = 'ok' | 'unreachable'

function createReadiness({ db, pingTemporal, clock }: ApiDeps): () => Promise<Readiness> {
  let asked: Promise<Readiness> | null = null
  let askedAt = 0
  return () => {
    const now = clock.now().getTime()
    if (asked === null || now - askedAt >= shareForMs) {
      askedAt = now
      asked = check()
    }
    return asked
  }

  async function check(): Promise<Readiness> {
    const [missing, temporal] = await Promise.all([
      missingMigrations(db).catch(() => null),
      pingTemporal().then(
        () => 'ok' as const,
        () => 'unreachable' as const,
      ),
    ])
    const reasons = [
      ...(missing === null ? ['PostgreSQL does not answer.'] : []),
      ...(missing?.length ? [`The database lacks ${missing.join(', ')}: run \`npm run migrate\`.`] : []),
      ...(temporal === 'ok' ? [] : ['Temporal does not answer.']),
    ]
    if (missing === null) return { postgres: 'unreachable', schema: 'unknown', temporal, reasons }
    return { postgres: 'ok', schema: missing.length === 0 ? 'ok' : 'behind', temporal, reasons }
  }
}
