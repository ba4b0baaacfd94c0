// Turns one route into what Koa runs: who calls → how often → may they → is it readable → is it right → handle (design §3's order).
import { parse as parseQuery } from 'node:querystring'
import type { ParameterizedContext } from 'koa'
import type { Caller } from '../db/callers'
import type { PayoutRow } from '../db/payouts'
import { authenticate, authenticateWithPayout } from './authenticate'
import type { ApiDeps } from './deps'
import { ApiError } from './errors'
import { readJson } from './read-json'
import type { ApiRequest, KeyAccess, Reply, Route } from './route'
import { type Check, compileBody, compileParams, compileQuery, uuidPattern } from './validate'

/** What the layers around a route need to know of it afterwards. */
export interface RequestState {
  requestId: string
  route: Route | null
  caller: Caller | null
}

export type ApiContext = ParameterizedContext<RequestState> & { params?: Record<string, string> }

export function answer(route: Route, deps: ApiDeps): (context: ApiContext) => Promise<void> {
  const checks = compile(route)
  return async (context) => {
    context.state.route = route
    const admitted = route.access.by === 'key' ? await admit(route.access, context, deps) : nobody
    if (route.access.by === 'key' && route.access.partner === 'active') requireActive(admitted.caller)
    const request = await read(context, admitted, checks)
    reply(context, await route.handle(request, deps))
  }
}

interface Admitted {
  readonly caller: Caller | null
  readonly payout: PayoutRow | null
}

const nobody: Admitted = { caller: null, payout: null }

async function admit({ finds }: KeyAccess, context: ApiContext, deps: ApiDeps): Promise<Admitted> {
  const header = context.get('Authorization')
  const id = finds === 'payout' ? (context.params?.['id'] ?? '') : ''
  const { caller, payout } = uuidPattern.test(id)
    ? await authenticateWithPayout(header, id, deps)
    : { caller: await authenticate(header, deps), payout: null }
  context.state.caller = caller
  const { partner, environment } = caller
  const taken = await deps.rateLimiter.take({ partnerId: partner.id, environment, limitPerSecond: partner.rateLimit })
  if (taken.limitPerSecond > 0) {
    context.set('RateLimit-Policy', `"partner";q=${taken.limitPerSecond};w=1`)
    context.set('RateLimit', `"partner";r=${taken.remaining};t=1`)
  }
  if (taken.outcome === 'refused') throw new ApiError('rate_limited', { headers: { 'Retry-After': '1' } })
  return { caller, payout }
}

function requireActive(caller: Caller | null): void {
  if (caller?.partner.status !== 'active') throw new ApiError('partner_not_active')
}

interface Checks {
  readonly params: Check | null
  readonly query: Check | null
  readonly body: Check | null
}

function compile(route: Route): Checks {
  return {
    params: route.params ? compileParams(route.params) : null,
    query: route.query ? compileQuery(route.query) : null,
    body: route.body ? compileBody(route.body.schema) : null,
  }
}

async function read(context: ApiContext, { caller, payout }: Admitted, checks: Checks): Promise<ApiRequest> {
  const params = { ...context.params }
  checks.params?.(params)
  const body = checks.body ? await readJson(context.req) : undefined
  // Koa's own reading of a query takes half a second of CPU for one that repeats a name 7,500 times.
  const query = checks.query ? { ...parseQuery(context.querystring) } : {}
  checks.query?.(query)
  checks.body?.(body)
  return {
    get caller() {
      if (!caller) throw new Error('a route that anyone may call asked who calls')
      return caller
    },
    payout,
    params,
    query,
    body,
    header: (name) => context.get(name),
  }
}

function reply(context: ApiContext, { status = 200, body, headers = {} }: Reply): void {
  context.status = status
  for (const [name, value] of Object.entries(headers)) context.set(name, value)
  if (status === 304) return
  context.type = 'application/json; charset=utf-8'
  context.body = JSON.stringify(body)
}
