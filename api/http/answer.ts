// Turns one route into what Koa runs: receive the body → who calls → how often → may they, from here → is it readable → is it right → handle.
import { parse as parseQuery } from 'node:querystring'
import type { ParameterizedContext } from 'koa'
import type { Queryable } from '../../db/database'
import type { Caller } from '../../db/sign-in/callers'
import { environments } from '../../domain/environment'
import type { ApiDeps } from '../deps'
import {
  type Admitted,
  addressOf,
  admit,
  anonymous,
  checkingFirst,
  mayRepeat,
  requireStillAdmitted,
  screen,
} from './callers/admission'
import { asTooSlow } from './costly-reads'
import { ApiError, type ErrorCode } from './errors'
import { parseJson, receiveJson } from './requests/read-json'
import { type Check, compileBody, compileParams, compileQuery } from './requests/validate'
import { type ApiRequest, isOfPartner, querySchemaOf, type Reply, type Route } from './route'

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
    const screened = screen(route, context, deps)
    // Before the caller is looked up: a right that is withdrawn while the body arrives does not count.
    const received = route.body === undefined ? null : await receiveJson(context.req)
    const admitted = screened === null ? anonymous : await admit(route, screened, context, deps)
    const recheck = (db: Queryable) => requireStillAdmitted(db, route, admitted, context)
    const about = { received, recheckCaller: () => recheck(deps.db) }
    const request = orOnlyRepeat(admitted.mayOnlyRepeat, () => read(context, admitted, about, checks, deps))
    const answered =
      route.reads === 'history'
        ? await readHistory(route, request, deps)
        : await route.handle(request, route.method === 'GET' ? deps : { ...deps, db: checkingFirst(deps.db, recheck) })
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

interface Received extends Pick<ApiRequest, 'recheckCaller'> {
  readonly received: Buffer | ApiError | null
}

/** Callers who may only repeat a stored payout hear why, and not what is wrong with their request. */
function orOnlyRepeat<Value>(mayOnlyRepeat: ApiError | null, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw mayOnlyRepeat && error instanceof ApiError ? mayOnlyRepeat : error
  }
}

function read(
  context: ApiContext,
  { caller, ...found }: Admitted,
  { received, recheckCaller }: Received,
  checks: Checks,
  { config }: ApiDeps,
): ApiRequest {
  const params = { ...context.params }
  checks.params?.(params)
  if (caller?.by === 'person') requireEnvironment(context)
  if (received instanceof ApiError) throw received
  const body = received === null ? undefined : parseJson(received)
  // Koa's own reading of a query takes half a second of CPU for one that repeats a name 7,500 times. No route has so many
  // parameters: among the first 100 is one that is unknown or repeated.
  const query = { ...parseQuery(context.querystring, '&', '=', { maxKeys: 100 }) }
  checks.query(query)
  const fault = checkBody(body, checks, found)
  const mayOnlyRepeat = found.mayOnlyRepeat ?? fault
  const { requestId } = context.state
  const header = (name: string) => context.get(name)
  const address = () => addressOf(context, config.trustedProxies)
  const request = { ...found, mayOnlyRepeat, requestId, params, query, body, header, address, recheckCaller }
  return caller === null ? fromAnyone(request) : { ...request, caller }
}

/**
 * An accepted body repeats its payout for ever, so the body of a stored payout may break rules that are younger than it. The
 * fault is then returned and not thrown: it still refuses to create anything.
 */
function checkBody(body: unknown, checks: Checks, found: Pick<ApiRequest, 'claim'>): ApiError | null {
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
