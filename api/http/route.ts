// The shape of a route. The table of routes drives the router, the validators, the OpenAPI document and the tests.
import type { ParameterizedContext } from 'koa'
import type { TSchema } from 'typebox'
import type { Queryable } from '../../db/database'
import type { Caller, PersonCaller } from '../../db/sign-in/callers'
import { assert } from '../../domain/assert'
import type { Environment } from '../../domain/environment'
import type { MemberRole } from '../../domain/partners/partner'
import type { ApiDeps } from '../deps'
import type { ApiError, ErrorCode } from './errors'
import { EnvironmentQuery } from './schema'

export interface Route extends Omit<RouteDocs, 'bodyExample'> {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Parameters are written as `:name`. */
  readonly path: string
  readonly access: Access
  readonly isIdempotent: boolean
  /**
   * `history`: the route can read all rows of the partner, so it uses the connections for costly reads
   * (`costly-reads.ts`).
   */
  readonly reads: 'rows' | 'history'
  readonly params?: TSchema
  readonly query: TSchema
  readonly body?: RequestBody
  readonly steps: readonly Step[]
  readonly handle: (request: never, deps: ApiDeps) => Promise<Reply>
}

/** A route and its section of the API reference. */
export interface ListedRoute extends Route {
  readonly tag: string
}

const forDashboard = 'Used by the dashboard: needs a signed-in person, and refuses API keys.'

/** The sections of the API reference, in the order in which readers need them. */
export const tags = {
  Payouts: 'Send pounds to UK bank accounts, and follow each payout until it is paid.',
  'Recalls and traces': 'Ask for the money back, or ask the bank where it is.',
  Wallet: 'The USDC that pays for your payouts.',
  Sandbox: 'Test money and simulated outcomes. Sandbox only.',
  Account: 'Your account, its settings and its business verification.',
  'API keys': 'Create and revoke keys.',
  Billing: 'Usage, invoices and the charges behind them.',
  'Audit log': 'API calls and dashboard actions.',
  'Home page': forDashboard,
  Team: forDashboard,
  'Sign-in': forDashboard,
  'Confirm codes': `Codes that confirm one action. ${forDashboard}`,
  'Public pages': 'Public information. Needs no key.',
} as const

/** The parts of a route that only the documentation and the tests read. */
export interface RouteDocs {
  readonly summary: string
  readonly description: string
  /** The request headers that the handler reads and checks. */
  readonly headers?: TSchema
  readonly bodyExample?: unknown
  readonly reply: ReplyShape
  /** The reply to a repeated request, if it differs. */
  readonly replay?: ReplyShape
  /** The errors of the handler, if any. `errorsOf` adds those of the steps. */
  readonly errors?: readonly ErrorCode[]
}

/**
 * The steps of a route in the order in which they run. The types allow no other order, so a route cannot omit
 * authentication or authorization.
 */
type Steps<Found> =
  | readonly [OpenToAnyone, Validation, OpenHandler]
  | readonly [...Checks<Found>, Handler<Found>]
  | readonly [...RepeatableChecks<Found>, Handler<Found>]

export type Checks<Found> = readonly [Authentication<Found>, RateLimit, Authorization, Validation]
export type RepeatableChecks<Found> = readonly [
  Authentication<Found>,
  RateLimit,
  Authorization,
  Idempotency,
  Validation,
]

interface Plan<Found> extends RouteDocs {
  readonly steps: Steps<Found>
}

export const get = routeOf('GET')
export const post = routeOf('POST')
export const patch = routeOf('PATCH')
export const del = routeOf('DELETE')

type Sentence = <Found>(path: string, operationId: string, plan: Plan<Found>) => Route

function routeOf(method: Route['method']): Sentence {
  return (path, operationId, plan) => ({ operationId, method, path, ...partsOf(plan) })
}

function partsOf<Found>({ bodyExample, steps: sentence, ...documented }: Plan<Found>) {
  const handle = sentence[sentence.length - 1]
  assert(typeof handle === 'function', 'the last step of a route must be its handler')
  const steps: Step[] = sentence.flatMap((step) => (typeof step === 'function' ? [] : [step]))
  const authorization = steps.find((step) => step.kind === 'authorize')
  const limit = steps.find((step) => step.kind === 'limit')
  const { params, query = EnvironmentQuery, body, repeatedBody } = steps.find((step) => step.kind === 'validate') ?? {}
  return {
    ...documented,
    access: authorization?.access ?? { by: 'anyone' },
    isIdempotent: steps.some(({ kind }) => kind === 'idempotent'),
    reads: limit?.reads ?? 'rows',
    ...(params && { params }),
    query,
    ...(body && { body: { schema: body, example: bodyExample, ...(repeatedBody && { repeats: repeatedBody }) } }),
    steps,
    handle,
  }
}

type Access = { readonly by: 'anyone' } | CallerAccess

export interface CallerAccess extends Rights {
  /** The name of the call in the activity list. */
  readonly action: string
}

export interface Rights {
  /** `key`: API keys and signed-in people. `person`: signed-in people only. A key gets 403. */
  readonly by: 'key' | 'person'
  /** The role that a person needs. If omitted, viewers may read (GET), and only admins may do anything else. */
  readonly role?: MemberRole
  /** `allowed`: a person of any role may call the route if `:id` is their own member ID. */
  readonly onOneself?: 'allowed'
  /**
   * The state that the partner must have. A payer is active, and in live also verified. A partner in another state
   * may only repeat a stored request. All its other requests get 403, even malformed ones.
   */
  readonly partner: 'any' | 'active' | 'payer'
}

type Step = OpenToAnyone | Authentication<unknown> | RateLimit | Authorization | Idempotency | Validation

/**
 * Binds a step to its route when the server starts. The result runs for each request and throws ApiError to refuse it.
 */
type Bind = (route: Route, deps: ApiDeps) => (exchange: Exchange) => Promise<void> | void

export interface OpenToAnyone {
  readonly kind: 'open'
  readonly bind: Bind
}

export interface Authentication<Found> {
  readonly kind: 'authenticate'
  readonly lookup: Lookup<Found>
  readonly bind: Bind
}

export interface RateLimit {
  readonly kind: 'limit'
  readonly reads: Route['reads']
  readonly bind: Bind
}

export interface Authorization {
  readonly kind: 'authorize'
  readonly access: CallerAccess
  readonly bind: Bind
}

export interface Idempotency {
  readonly kind: 'idempotent'
  readonly bind: Bind
}

export interface Schemas {
  readonly params?: TSchema
  /** Must include `environment`, which every route accepts. Unknown parameters are refused. */
  readonly query?: TSchema
  readonly body?: TSchema
  readonly fieldErrors?: FieldErrors
  /**
   * A weaker schema for bodies that repeat a stored request, because older rules applied when that request was stored.
   */
  readonly repeatedBody?: TSchema
}

/**
 * Errors for faults in single body fields, in the order in which they are reported. Any other fault is an
 * invalid_request.
 */
export type FieldErrors = readonly (readonly [field: string, errorFor: (faults: string[]) => ApiError])[]

export interface Validation extends Schemas {
  readonly kind: 'validate'
  readonly bind: Bind
}

/**
 * Looks up the object that a request names, in the same statement as its API key: a second round trip would slow down
 * every read. The route supplies the lookup, so the pipeline does not depend on business objects.
 */
export interface Lookup<Found> {
  /** The ID or key that the request contains. Null if it is missing or malformed. */
  nameIn(context: ApiContext): string | null
  /** The result for a request without an ID or key. */
  readonly nothing: Found
  /** Null when the API key is unknown. */
  findWithKey(db: Queryable, digest: Buffer, name: string): Promise<FoundWithCaller<Found> | null>
  findForPerson(db: Queryable, scope: Scope, name: string): Promise<Found>
  /** Whether the request may be a retry of a stored one. A caller that cannot create anything new can still retry. */
  isRepeatable(found: Found): boolean
  subjectOf(found: Found, reply: Reply): Subject | null
}

export interface FoundWithCaller<Found> {
  readonly caller: Caller
  readonly found: Found
}

interface Scope {
  readonly partnerId: string
  readonly environment: Environment
}

/** The object that a request concerns, for logs, traces and the activity list. */
interface Subject {
  /** The field of the log line, such as `payout_id`. */
  readonly field: string
  readonly id: string
}

/** The state of one request. Each step adds its results. */
export interface Exchange {
  readonly context: ApiContext
  /** The body as received, or the error for an unreadable body. Null for routes without a body. */
  received: Buffer | ApiError | null
  caller: Caller | null
  found: unknown
  isRepeatable: boolean
  /** Why the partner's state forbids a new request. A retry is still allowed. */
  refusal: ApiError | null
  /** Why the body is invalid. A request with an invalid body can only repeat a stored one. */
  bodyFault: ApiError | null
  params: Readonly<Record<string, string>>
  query: unknown
  body: unknown
  subjectOf: (reply: Reply) => Subject | null
}

export type ApiContext = ParameterizedContext<RequestState> & {
  params?: Record<string, string>
  /** The pattern of the matched route, not the requested path. */
  routerPath?: string
}

/** Request state that the middleware reads after the route has run. */
export interface RequestState {
  requestId: string
  route: Route | null
  caller: Caller | null
  activityWritten: boolean
  subject: Subject | null
  /** The code of the error response. */
  errorCode: ErrorCode | null
}

interface RequestBody {
  readonly schema: TSchema
  readonly example: unknown
  readonly repeats?: TSchema
}

export interface ReplyShape {
  readonly status: 200 | 201 | 202
  readonly description: string
  readonly schema: TSchema
  readonly example?: unknown
  /** The media type of a download. JSON if omitted. */
  readonly type?: string
  /** Descriptions of the response headers. An ETag means that If-None-Match may be answered with 304. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The usual reply: 200, as JSON. */
export function ok(description: string, schema: TSchema, example: unknown): ReplyShape {
  return { status: 200, description, schema, example }
}

export type Handler<Found = unknown> = (request: ApiRequest<Found>, deps: ApiDeps) => Promise<Reply>
type OpenHandler = (request: OpenRequest, deps: ApiDeps) => Promise<Reply>

export interface ApiRequest<Found = unknown> extends OpenRequest {
  readonly caller: Caller
  /** The result of the route's lookup. */
  readonly found: Found
  /**
   * Why this request may only repeat a stored one: the partner is not allowed to pay, or the body breaks newer rules.
   * Null if it may create something new.
   */
  readonly mayOnlyRepeat: ApiError | null
  /**
   * Checks the caller's rights again. Called before an effect outside the database. Each transaction of a handler that
   * writes starts with the same check.
   */
  recheckCaller(): Promise<void>
}

/** A request to a route that anyone may call. */
export interface OpenRequest {
  readonly requestId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
  header(name: string): string
  /** The client's network address, as the trusted proxies report it. */
  address(): string
}

export interface Reply {
  readonly status?: 200 | 201 | 202 | 304
  /** Sent as JSON, or unchanged if `type` is given. */
  readonly body: unknown
  readonly type?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** For 201: the path of the created object, or of the list that holds it. */
  readonly location?: string
  /** `written`: the handler has added its own entry to the activity list. */
  readonly activity?: 'written'
}

export function repliesOf({ reply, replay }: Route): ReplyShape[] {
  return replay ? [reply, replay] : [reply]
}

export function scopeOf({ caller }: Pick<ApiRequest, 'caller'>): Scope {
  return { partnerId: caller.partner.id, environment: caller.environment }
}

/** For routes that only people may call. */
export function personOf({ caller }: Pick<ApiRequest, 'caller'>): PersonCaller {
  if (caller.by !== 'person') throw new Error('personOf is only for routes that no API key may call')
  return caller
}

/** The lowest role that may call the route. */
export function roleFor({ method, access }: Pick<Route, 'method' | 'access'>): MemberRole {
  const chosen = access.by === 'anyone' ? undefined : access.role
  return chosen ?? (method === 'GET' ? 'viewer' : 'admin')
}

/**
 * False for routes that manage the session itself. They ignore the partner that the page shows, so that a page can
 * detect a switch and sign out.
 */
export function isOfPartner({ path, access }: Route): boolean {
  return access.by !== 'anyone' && !path.startsWith('/v1/auth/')
}

export function errorsOf(route: Route): ErrorCode[] {
  const toPages: ErrorCode[] = isOfPartner(route) ? ['invalid_state'] : []
  return [...new Set<ErrorCode>([...errorsWithoutPages(route), ...toPages])]
}

/**
 * Omits the error for a page whose partner is no longer the session's partner. Only the dashboard can get that error.
 */
export function errorsWithoutPages(route: Route): ErrorCode[] {
  return [...new Set<ErrorCode>([...errorsOfSteps(route), ...(route.errors ?? []), ...always])]
}

/** The errors that an API key can get. The others are for people who use the dashboard. */
export function errorsForKeys(route: Route): ErrorCode[] {
  // The sandbox routes refuse a live key with the same code.
  const isForKeys = (code: ErrorCode) => code === 'api_key_required' && route.errors?.includes(code)
  return errorsWithoutPages(route).filter((code) => isForKeys(code) || !toPeople.includes(code))
}

const toPeople: readonly ErrorCode[] = ['forbidden_origin', 'api_key_required', 'invalid_confirm_code']
const always: readonly ErrorCode[] = ['internal_error', 'service_unavailable']

function errorsOfSteps(route: Route): ErrorCode[] {
  const { method, access, params, body, isIdempotent } = route
  // Every route refuses unknown query parameters.
  const errors: ErrorCode[] = ['invalid_request']
  if (method !== 'GET') errors.push('forbidden_origin')
  if (access.by !== 'anyone') {
    errors.push('unauthorized', 'rate_limited')
    if (access.by === 'person' || roleFor(route) === 'admin') errors.push('api_key_required')
    if (access.partner !== 'any' || roleFor(route) === 'admin') errors.push('partner_not_active')
    if (access.partner === 'payer') errors.push('verification_required')
  }
  if (isIdempotent) errors.push('idempotency_key_required')
  if (params) errors.push('not_found')
  if (body) errors.push('invalid_json', 'payload_too_large', 'unsupported_media_type')
  return errors
}
