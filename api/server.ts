// The HTTP server: Koa with the layers in the order a request meets them, and the limits that Node itself enforces.
import { createServer, type Server } from 'node:http'
import { Router } from '@koa/router'
import Koa from 'koa'
import { type ApiContext, answer, type RequestState } from './answer'
import { around } from './around'
import { dashboard } from './dashboard'
import type { ApiDeps } from './deps'
import { docs } from './docs/routes'
import { ApiError } from './errors'
import { health } from './health'
import { traceRequests } from './trace-requests'
import { isReadable, refuseUnreadable, refuseWith } from './unreadable'
import { routes } from './v1'
import { bankWebhook } from './webhooks/bank'

export function createApi(deps: ApiDeps): Server {
  const app = new Koa<RequestState>()
  app.silent = true
  if (deps.tracer !== null) app.use(traceRequests(deps.tracer))
  app.use(around(deps))
  const router = createRouter(deps)
  app.use(router.routes())
  app.use((context) => refuseUnknown(router, context))

  const handle = app.callback()
  const server = createServer(limits, (request, response) => {
    if (isReadable(request)) void handle(request, response)
    else refuseWith(response, 'bad_request', deps.log)
  })
  refuseUnreadable(server, deps.log)
  return server
}

const limits = {
  maxHeaderSize: 16 * 1024,
  // A client that only drips is cut off: looked at every second, where Node's own half a minute would make it 45 s.
  headersTimeout: 10_000,
  requestTimeout: 12_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  requireHostHeader: false,
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

function refuseUnknown(router: Router<RequestState>, context: ApiContext): void {
  const allowed = new Set(router.match(context.path, context.method).path.flatMap((layer) => layer.methods))
  if (allowed.size === 0) throw new ApiError('route_not_found')
  throw new ApiError('method_not_allowed', { headers: { Allow: [...allowed].join(', ') } })
}
