// Turns one route into what Koa runs: who calls → how often → may they, from here → is it readable → is it right → handle (design §3's order).
import { parse as parseQuery } from 'node:querystring'
import type { ParameterizedContext } from 'koa'
import type { Caller, PersonCaller } from '../db/callers'
import { findClaim } from '../db/payout-claims'
import { findPayout } from '../db/payouts'
import { environments } from '../domain/environment'
import { idempotencyKeyPattern } from '../domain/limits'
import { authenticate, authenticatePerson, authenticateWithClaim, authenticateWithPayout } from './authenticate'
import { clientAddress } from './client-address'
import { asTooSlow } from './costly-reads'
import type { ApiDeps } from './deps'
import { ApiError, type ErrorCode } from './errors'
import { isFromOurPages } from './origin'
import { historyWeight } from './rate-limiter'
import { readJson } from './read-json'
import {
  type ApiRequest,
  type CallerAccess,
  type Forbidden,
  isOfPartner,
  querySchemaOf,
  type Reply,
  type Route,
  roleFor,
} from './route'
import { readSessionCookie } from './session-cookie'
import { type Check, compileBody, compileParams, compileQuery, uuidPattern } from './validate'

/** What the layers around a route need to know of it afterwards. */
export interface RequestState {
  requestId: string
  route: Route | null
  caller: Caller | null
  activityWritten: boolean
  /** Which payout it was about, for who follows one through the logs. */
  payoutId: string | null
  /** The code of the error that it was answered with. */
  errorCode: ErrorCode | null
}

export type ApiContext = ParameterizedContext<RequestState> & {
  params?: Record<string, string>
  /** As the router has it: a pattern, never what somebody asked for. */
  routerPath?: string
}

export function answer(route: Route, deps: ApiDeps): (context: ApiContext) => Promise<void> {
  const checks = compile(route)
  return async (context) => {
    context.state.route = route
    const admitted =
      route.access.by === 'anyone' ? admitAnyone(route, context, deps) : await admit(route, route.access, context, deps)
    const request = await read(context, admitted, checks, deps).catch((error: unknown) => {
      throw admitted.mayOnlyRepeat && error instanceof ApiError ? admitted.mayOnlyRepeat : error
    })
    const answered =
      route.reads === 'history' ? await readHistory(route, request, deps) : await route.handle(request, deps)
    context.state.payoutId = request.payout?.id ?? madeBy(route, answered)
    reply(context, answered)
  }
}

async function readHistory(route: Route, request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const db = deps.costlyReads.of(request.caller.partner.id)
  return Promise.resolve(route.handle(request, { ...deps, db })).catch((error: unknown) => {
    throw asTooSlow(error)
  })
}

interface Admitted extends Pick<ApiRequest, 'payout' | 'claim' | 'idempotencyKey' | 'mayOnlyRepeat'> {
  readonly caller: Caller | null
}

const nothingFound = { payout: null, claim: null, idempotencyKey: '' }
const nobody: Admitted = { caller: null, ...nothingFound, mayOnlyRepeat: null }

/** Also who has not signed in yet is not signed in by another site's page. */
function admitAnyone(route: Route, context: ApiContext, deps: ApiDeps): Admitted {
  requireOurPages(route, context, deps)
  return nobody
}

/** Who calls, whether they call too often, and what they may do: 401, 429 and 403, in this order. */
async function admit(route: Route, access: CallerAccess, context: ApiContext, deps: ApiDeps): Promise<Admitted> {
  const { caller, ...found } = await find(access, context, deps)
  context.state.caller = caller
  await countCall(route, caller, context, deps)
  if (caller.by === 'person') {
    requireOurPages(route, context, deps)
    requireShownPartner(route, context, caller)
  }
  if (!isFor(route, access, caller) && !isOnOneself(access, caller, context)) throw new ApiError('api_key_required')
  const code = forbiddenTo(caller, route, access)
  const forbidden = code === null ? null : new ApiError(code)
  if (forbidden !== null && !mayRepeat(found)) throw forbidden
  if (access.finds === 'claim' && found.idempotencyKey === '') throw new ApiError('idempotency_key_required')
  return { caller, ...found, mayOnlyRepeat: forbidden }
}

function mayRepeat({ claim }: Pick<Found, 'claim'>): boolean {
  return claim !== null && claim.releasedAt === null
}

function isFor(route: Route, access: CallerAccess, caller: Caller): boolean {
  if (caller.by === 'key') return access.by === 'key'
  return caller.role === 'admin' || roleFor(route) === 'viewer'
}

function isOnOneself(access: CallerAccess, caller: Caller, { params }: ApiContext): boolean {
  return access.onOneself === 'allowed' && caller.by === 'person' && params?.['id']?.toLowerCase() === caller.memberId
}

function requireOurPages({ method }: Route, context: ApiContext, { config }: ApiDeps): void {
  if (method === 'GET' || isFromOurPages(context.req.headers, config.publicUrl)) return
  throw new ApiError('forbidden_origin')
}

/** A retry under the same Idempotency-Key at another partner, to which a second tab has switched, would pay a second time. */
function requireShownPartner(route: Route, context: ApiContext, { partner }: PersonCaller): void {
  const shown = context.get('X-Partner-Id').toLowerCase()
  if (shown === '' || shown === partner.id || !isOfPartner(route)) return
  throw new ApiError('invalid_state', {
    message: 'This page shows another account than the one you are signed in to now. Load it again.',
    details: { status: 'other_partner' },
  })
}

interface Found extends Pick<ApiRequest, 'caller' | 'payout' | 'claim' | 'idempotencyKey'> {}

async function find(access: CallerAccess, context: ApiContext, deps: ApiDeps): Promise<Found> {
  const header = context.get('Authorization')
  const id = access.finds === 'payout' ? (context.params?.['id'] ?? '') : ''
  const payoutId = uuidPattern.test(id) ? id : ''
  const sent = access.finds === 'claim' ? context.get('Idempotency-Key') : ''
  const idempotencyKey = keyPattern.test(sent) ? sent : ''
  const token = header === '' ? readSessionCookie(deps.config.publicUrl, context.req.headers.cookie) : null
  if (token !== null) return findForPerson(token, { payoutId, idempotencyKey }, context, deps)
  if (payoutId !== '') return { ...nothingFound, ...(await authenticateWithPayout(header, payoutId, deps)) }
  if (idempotencyKey === '') return { ...nothingFound, caller: await authenticate(header, deps) }
  return { ...nothingFound, idempotencyKey, ...(await authenticateWithClaim(header, idempotencyKey, deps)) }
}

async function findForPerson(
  token: string,
  { payoutId, idempotencyKey }: { readonly payoutId: string; readonly idempotencyKey: string },
  context: ApiContext,
  deps: ApiDeps,
): Promise<Found> {
  const environment = parseQuery(context.querystring)['environment'] === 'live' ? 'live' : 'sandbox'
  const use = context.method === 'GET' && context.get('X-Background') === 'true' ? 'background' : 'person'
  const caller = await authenticatePerson(token, { environment, use }, deps)
  const scope = { partnerId: caller.partner.id, environment: caller.environment }
  return {
    caller,
    payout: payoutId === '' ? null : await findPayout(deps.db, scope, payoutId),
    claim: idempotencyKey === '' ? null : await findClaim(deps.db, { ...scope, idempotencyKey }),
    idempotencyKey,
  }
}

const keyPattern = new RegExp(idempotencyKeyPattern)

/** People have a bucket of their own: whoever has to stop a key that runs wild must not be locked out by it. */
async function countCall({ reads }: Route, caller: Caller, context: ApiContext, deps: ApiDeps): Promise<void> {
  const { partner, environment } = caller
  const who = caller.by === 'key' ? partner.id : caller.memberId
  const weight = reads === 'history' ? historyWeight : 1
  const taken = await deps.rateLimiter.take({ who, environment, limitPerSecond: partner.rateLimit, weight })
  if (taken.limitPerSecond > 0) {
    context.res.setHeader('RateLimit-Policy', `"partner";q=${taken.limitPerSecond};w=1`)
    context.res.setHeader('RateLimit', `"partner";r=${taken.remaining};t=1`)
  }
  if (taken.outcome === 'refused') throw new ApiError('rate_limited', { headers: { 'Retry-After': '1' } })
}

/** A closed partner is only read: whatever takes an admin changes something. */
function forbiddenTo({ partner, environment }: Caller, route: Route, access: CallerAccess): Forbidden | null {
  if (access.partner !== 'any' && partner.status !== 'active') return 'partner_not_active'
  if (partner.status === 'closed' && roleFor(route) === 'admin') return 'partner_not_active'
  const verified = environment === 'sandbox' || partner.verificationStatus === 'approved'
  return access.partner === 'payer' && !verified ? 'verification_required' : null
}

interface Checks {
  readonly params: Check | null
  readonly query: Check
  readonly body: Check | null
  readonly repeat: Check | null
}

function compile(route: Route): Checks {
  return {
    params: route.params ? compileParams(route.params) : null,
    query: compileQuery(querySchemaOf(route)),
    body: route.body ? compileBody(route.body.schema) : null,
    repeat: route.body?.repeats ? compileBody(route.body.repeats) : null,
  }
}

async function read(
  context: ApiContext,
  { caller, ...found }: Admitted,
  checks: Checks,
  { config }: ApiDeps,
): Promise<ApiRequest> {
  const params = { ...context.params }
  checks.params?.(params)
  if (caller?.by === 'person') requireEnvironment(context)
  const body = checks.body ? await readJson(context.req) : undefined
  // Koa's own reading of a query takes half a second of CPU for one that repeats a name 7,500 times.
  const query = { ...parseQuery(context.querystring) }
  checks.query(query)
  const fault = checkBody(body, checks, found)
  const mayOnlyRepeat = found.mayOnlyRepeat ?? fault
  const { requestId } = context.state
  const header = (name: string) => context.get(name)
  const address = () => addressOf(context, config.trustedProxies)
  const request = { ...found, mayOnlyRepeat, requestId, params, query, body, header, address }
  return caller === null ? fromAnyone(request) : { ...request, caller }
}

/**
 * An accepted body repeats its payout for ever, so the body of a stored payout may break rules that are younger than it. The
 * fault is then returned and not thrown: it still refuses to create anything.
 */
function checkBody(body: unknown, checks: Checks, found: Pick<Found, 'claim'>): ApiError | null {
  try {
    checks.body?.(body)
    return null
  } catch (error) {
    if (error instanceof ApiError && mayRepeat(found) && isRepeatable(body, checks)) return error
    throw error
  }
}

function isRepeatable(body: unknown, { repeat }: Checks): boolean {
  try {
    repeat?.(body)
    return repeat !== null
  } catch {
    return false
  }
}

/** Who misspells `live` must not be shown the sandbox as if it were that, nor pay there. For keys it is ignored (design §5). */
function requireEnvironment({ state, querystring }: ApiContext): void {
  const { environment } = parseQuery(querystring)
  if (environment === undefined || environments.some((each) => each === environment)) return
  if (state.route === null || !isOfPartner(state.route)) return
  throw new ApiError('invalid_request', {
    message: 'A query parameter is missing, malformed, or unknown.',
    details: { errors: [`environment (${environments.join(' or ')})`] },
  })
}

function addressOf(context: ApiContext, trustedProxies: number): string {
  const remote = context.req.socket.remoteAddress
  return clientAddress({ remote, forwardedFor: context.get('X-Forwarded-For') }, trustedProxies)
}

function fromAnyone(request: Omit<ApiRequest, 'caller'>): ApiRequest {
  return {
    ...request,
    get caller(): never {
      throw new Error('a route that anyone may call asked who calls')
    },
  }
}

function madeBy({ access }: Route, { body }: Reply): string | null {
  if (access.by === 'anyone' || access.finds !== 'claim' || typeof body !== 'object' || body === null) return null
  return 'id' in body && typeof body.id === 'string' ? body.id : null
}

function reply(context: ApiContext, { status = 200, body, type, headers = {}, location, activity }: Reply): void {
  context.status = status
  context.state.activityWritten = activity === 'written'
  for (const name in headers) context.res.setHeader(name, headers[name] ?? '')
  if (location !== undefined) context.res.setHeader('Location', location + environmentOf(context, location))
  if (status === 304) return
  context.type = type ?? 'application/json; charset=utf-8'
  context.body = type === undefined ? JSON.stringify(body) : body
}

/** Without it a person would be shown the sandbox; a key needs none. */
function environmentOf({ state: { caller } }: ApiContext, location: string): string {
  return caller?.by === 'person' && caller.environment === 'live' && !location.includes('?') ? '?environment=live' : ''
}
