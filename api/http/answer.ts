// Runs the steps of a route for one request, calls its handler and sends the reply.
import type { Queryable } from '../../db/database'
import type { ApiDeps } from '../deps'
import { requireStillAuthorized, withCallerCheck } from './callers/authorize'
import { addressOf } from './callers/origin'
import { timeoutAsUnavailable } from './costly-reads'
import type { ApiContext, ApiRequest, Exchange, Reply, Route } from './route'

export function answer(route: Route, deps: ApiDeps): (context: ApiContext) => Promise<void> {
  const steps = route.steps.map((step) => step.bind(route, deps))
  return async (context) => {
    context.state.route = route
    const exchange = newExchange(context)
    for (const run of steps) await run(exchange)
    const reply = await handle(route, exchange, deps)
    context.state.subject = exchange.subjectOf(reply)
    send(context, reply)
  }
}

function newExchange(context: ApiContext): Exchange {
  return {
    context,
    received: null,
    caller: null,
    found: null,
    isRepeatable: false,
    refusal: null,
    bodyFault: null,
    params: {},
    query: {},
    body: undefined,
    subjectOf: () => null,
  }
}

async function handle(route: Route, exchange: Exchange, deps: ApiDeps): Promise<Reply> {
  const { caller } = exchange
  const recheck = (db: Queryable) => requireStillAuthorized(db, route, exchange)
  const request = requestOf(exchange, () => recheck(deps.db), deps)
  if (route.reads === 'history' && caller !== null) {
    const db = deps.costlyReads.of(caller.partner.id)
    return route.handle(request, { ...deps, db }).catch((error: unknown) => {
      throw timeoutAsUnavailable(error)
    })
  }
  return route.handle(request, route.method === 'GET' ? deps : { ...deps, db: withCallerCheck(deps.db, recheck) })
}

/** The types of a route's steps guarantee that its handler gets the caller and the lookup result that it expects. */
function requestOf(exchange: Exchange, recheckCaller: () => Promise<void>, { config }: ApiDeps): never {
  const { context, caller, found, refusal, bodyFault, params, query, body } = exchange
  const request: Omit<ApiRequest, 'caller'> & { readonly caller: ApiRequest['caller'] | null } = {
    caller,
    found,
    mayOnlyRepeat: refusal ?? bodyFault,
    requestId: context.state.requestId,
    params,
    query,
    body,
    header: (name) => context.get(name),
    address: () => addressOf(context, config.trustedProxies),
    recheckCaller,
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return request as never
}

function send(context: ApiContext, { status = 200, body, type, headers = {}, location, activity }: Reply): void {
  context.status = status
  context.state.activityWritten = activity === 'written'
  for (const name in headers) context.res.setHeader(name, headers[name] ?? '')
  if (location !== undefined) context.res.setHeader('Location', location + environmentOf(context, location))
  if (status === 304) return
  context.type = type ?? 'application/json; charset=utf-8'
  context.body = type === undefined ? JSON.stringify(body) : body
}

/** Without the parameter a person would see the sandbox. An API key has its own environment. */
function environmentOf({ state: { caller } }: ApiContext, location: string): string {
  return caller?.by === 'person' && caller.environment === 'live' && !location.includes('?') ? '?environment=live' : ''
}
