// Turns one route into what Koa runs: who calls → how often → may they → is it readable → is it right → handle (design §3's order).
import { parse as parseQuery } from 'node:querystring'
import type { ParameterizedContext } from 'koa'
import type { Caller } from '../db/callers'
import { idempotencyKeyPattern } from '../domain/limits'
import { authenticate, authenticateWithClaim, authenticateWithPayout } from './authenticate'
import type { ApiDeps } from './deps'
import { ApiError } from './errors'
import { readJson } from './read-json'
import type { ApiRequest, Forbidden, KeyAccess, Reply, Route } from './route'
import { type Check, compileBody, compileParams, compileQuery, uuidPattern } from './validate'

/** What the layers around a route need to know of it afterwards. */
export interface RequestState {
  requestId: string
  route: Route | null
  caller: Caller | null
  activityWritten: boolean
}

export type ApiContext = ParameterizedContext<RequestState> & { params?: Record<string, string> }

export function answer(route: Route, deps: ApiDeps): (context: ApiContext) => Promise<void> {
  const checks = compile(route)
  return async (context) => {
    context.state.route = route
    const admitted = route.access.by === 'key' ? await admit(route.access, context, deps) : nobody
    const request = await read(context, admitted, checks).catch((error: unknown) => {
      throw admitted.mayOnlyRepeat && error instanceof ApiError ? new ApiError(admitted.mayOnlyRepeat) : error
    })
    reply(context, await route.handle(request, deps))
  }
}

interface Admitted extends Pick<ApiRequest, 'payout' | 'claim' | 'idempotencyKey' | 'mayOnlyRepeat'> {
  readonly caller: Caller | null
}

const nothingFound = { payout: null, claim: null, idempotencyKey: '' }
const nobody: Admitted = { caller: null, ...nothingFound, mayOnlyRepeat: null }

/** Who calls, whether they call too often, and what they may do: 401, 429 and 403, in this order. */
async function admit(access: KeyAccess, context: ApiContext, deps: ApiDeps): Promise<Admitted> {
  const { caller, ...found } = await find(access, context, deps)
  context.state.caller = caller
  await countCall(caller, context, deps)
  const forbidden = forbiddenTo(caller, access)
  const mayRepeat = found.claim !== null && found.claim.releasedAt === null
  if (forbidden !== null && !mayRepeat) throw new ApiError(forbidden)
  if (access.finds === 'claim' && found.idempotencyKey === '') throw new ApiError('idempotency_key_required')
  return { caller, ...found, mayOnlyRepeat: forbidden }
}

interface Found extends Pick<ApiRequest, 'caller' | 'payout' | 'claim' | 'idempotencyKey'> {}

async function find({ finds }: KeyAccess, context: ApiContext, deps: ApiDeps): Promise<Found> {
  const header = context.get('Authorization')
  const id = finds === 'payout' ? (context.params?.['id'] ?? '') : ''
  if (uuidPattern.test(id)) return { ...nothingFound, ...(await authenticateWithPayout(header, id, deps)) }
  const idempotencyKey = finds === 'claim' ? context.get('Idempotency-Key') : ''
  if (!keyPattern.test(idempotencyKey)) return { ...nothingFound, caller: await authenticate(header, deps) }
  return { ...nothingFound, idempotencyKey, ...(await authenticateWithClaim(header, idempotencyKey, deps)) }
}

const keyPattern = new RegExp(idempotencyKeyPattern)

async function countCall({ partner, environment }: Caller, context: ApiContext, deps: ApiDeps): Promise<void> {
  const taken = await deps.rateLimiter.take({ partnerId: partner.id, environment, limitPerSecond: partner.rateLimit })
  if (taken.limitPerSecond > 0) {
    context.res.setHeader('RateLimit-Policy', `"partner";q=${taken.limitPerSecond};w=1`)
    context.res.setHeader('RateLimit', `"partner";r=${taken.remaining};t=1`)
  }
  if (taken.outcome === 'refused') throw new ApiError('rate_limited', { headers: { 'Retry-After': '1' } })
}

function forbiddenTo({ partner, environment }: Caller, access: KeyAccess): Forbidden | null {
  if (access.partner !== 'any' && partner.status !== 'active') return 'partner_not_active'
  const verified = environment === 'sandbox' || partner.verificationStatus === 'approved'
  return access.partner === 'payer' && !verified ? 'verification_required' : null
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

async function read(context: ApiContext, { caller, ...found }: Admitted, checks: Checks): Promise<ApiRequest> {
  const params = { ...context.params }
  checks.params?.(params)
  const body = checks.body ? await readJson(context.req) : undefined
  // Koa's own reading of a query takes half a second of CPU for one that repeats a name 7,500 times.
  const query = checks.query ? { ...parseQuery(context.querystring) } : {}
  checks.query?.(query)
  checks.body?.(body)
  const { requestId } = context.state
  const request = { ...found, requestId, params, query, body, header: (name: string) => context.get(name) }
  return caller === null ? fromAnyone(request) : { ...request, caller }
}

function fromAnyone(request: Omit<ApiRequest, 'caller'>): ApiRequest {
  return {
    ...request,
    get caller(): never {
      throw new Error('a route that anyone may call asked who calls')
    },
  }
}

function reply(context: ApiContext, { status = 200, body, type, headers = {}, activity }: Reply): void {
  context.status = status
  context.state.activityWritten = activity === 'written'
  for (const name in headers) context.res.setHeader(name, headers[name] ?? '')
  if (status === 304) return
  context.type = type ?? 'application/json; charset=utf-8'
  context.body = type === undefined ? JSON.stringify(body) : body
}
