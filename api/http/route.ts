// What one route of §4 is: the table of them drives the router, the validators, the OpenAPI document and the tests.
import type { TSchema } from 'typebox'
import type { ClaimedRow } from '../../db/payouts/claims'
import type { PayoutRow } from '../../db/payouts/payouts'
import type { Caller, PersonCaller } from '../../db/sign-in/callers'
import type { MemberRole } from '../../domain/partners/partner'
import type { ApiDeps } from '../deps'
import type { ApiError, ErrorCode } from './errors'
import { EnvironmentQuery } from './schema'

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With parameters as `:name`. */
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly params?: TSchema
  /** Includes `environment`, which every route accepts; nothing else where it is left out. Unknown parameters are refused. */
  readonly query?: TSchema
  /** Request headers that the handler reads, for the document only: handlers judge headers themselves. */
  readonly headers?: TSchema
  readonly body?: RequestBody
  readonly reply: ReplyShape
  /** What a repeat of the same request is answered, where that differs. */
  readonly replay?: ReplyShape
  /** What the route itself may refuse with; what its access and its input imply is added by errorsOf. */
  readonly errors: readonly ErrorCode[]
  /** `history`: it reads as much as the partner has, so it runs as a costly read (`costly-reads.ts`). */
  readonly reads?: 'history'
  readonly handle: Handler
}

export type Access = { readonly by: 'anyone' } | CallerAccess

export interface CallerAccess {
  /** `key`: an API key, or a signed-in person in its place. `person`: a signed-in person only, and a key hears 403. */
  readonly by: 'key' | 'person'
  /** Names the call in the activity list. */
  readonly action: string
  /** Which of a partner's people; where it is left out, all of them may read (GET) and only admins do anything else. */
  readonly role?: MemberRole
  /** `allowed`: where `:id` is their own member's id, all of them may, whatever the role. */
  readonly onOneself?: 'allowed'
  /**
   * Whether a suspended partner is let in. A payer must be active, and verified where the money is real; one that is not
   * may only repeat what was stored before, and hears 403 to everything else, however malformed.
   */
  readonly partner: 'any' | 'active' | 'payer'
  /** What is read together with the key: the payout that `:id` names, or what the Idempotency-Key, then required, stands for. */
  readonly finds?: 'payout' | 'claim'
}

export interface RequestBody {
  readonly schema: TSchema
  readonly example: unknown
  /** What a body must be to repeat a payout that is stored already: the rules of its day, where they were less strict. */
  readonly repeats?: TSchema
}

export interface ReplyShape {
  readonly status: 200 | 201 | 202
  readonly description: string
  readonly schema: TSchema
  readonly example?: unknown
  /** A document to download; JSON where it is left out. */
  readonly type?: string
  /** What each header of the success tells; an ETag means that If-None-Match may be answered with 304. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Handler = (request: ApiRequest, deps: ApiDeps) => Promise<Reply>

export interface ApiRequest {
  /** Who calls; asking for it on a route that anyone may call is a bug. */
  readonly caller: Caller
  /** What `access.finds` found of the caller's own. */
  readonly payout: PayoutRow | null
  readonly claim: ClaimedRow | null
  /** Well-formed where `access.finds` is `claim`, otherwise empty. */
  readonly idempotencyKey: string
  /** Why this request may only repeat what was stored before: who pays, or a body by older rules; null when it may pay. */
  readonly mayOnlyRepeat: ApiError | null
  readonly requestId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
  header(name: string): string
  /** Checks the caller's rights again, right before an effect outside the database. Transactions of a handler begin with this check. */
  recheckCaller(): Promise<void>
  /** Where the request comes from, as far as we can tell. */
  address(): string
}

export type Forbidden = Extract<ErrorCode, 'partner_not_active' | 'verification_required'>

export interface Reply {
  readonly status?: 200 | 201 | 202 | 304
  /** As JSON, unless a type is given with it: then it is sent as it is. */
  readonly body: unknown
  readonly type?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** For 201: a path that shows what was created, itself or the list that holds it. */
  readonly location?: string
  /** `written`: what the request changed has put its own entry into the activity list. */
  readonly activity?: 'written'
}

export function repliesOf({ reply, replay }: Route): ReplyShape[] {
  return replay ? [reply, replay] : [reply]
}

export function querySchemaOf({ query }: Route): TSchema {
  return query ?? EnvironmentQuery
}

/** For routes whose access is `person`. */
export function personOf({ caller }: ApiRequest): PersonCaller {
  if (caller.by !== 'person') throw new Error('a route that keys may call asked which person calls')
  return caller
}

/** The least that a person must be to call it. */
export function roleFor({ method, access }: Route): MemberRole {
  const chosen = access.by === 'anyone' ? undefined : access.role
  return chosen ?? (method === 'GET' ? 'viewer' : 'admin')
}

/** What is about the session itself answers at whichever partner it is: so a page learns of a switch, and can sign out. */
export function isOfPartner({ path, access }: Route): boolean {
  return access.by !== 'anyone' && !path.startsWith('/v1/auth/')
}

/** Whoever calls. */
export function errorsOf(route: Route): ErrorCode[] {
  const toPages: ErrorCode[] = isOfPartner(route) ? ['invalid_state'] : []
  return [...new Set<ErrorCode>([...errorsWithoutPages(route), ...toPages])]
}

/** Without the error that only the dashboard's pages get: a page may show another partner than its session is at. */
export function errorsWithoutPages(route: Route): ErrorCode[] {
  return [...new Set<ErrorCode>([...impliedBy(route), ...route.errors, 'internal_error', 'service_unavailable'])]
}

function impliedBy(route: Route): ErrorCode[] {
  const { method, access, params, body } = route
  // An unknown query parameter.
  const implied: ErrorCode[] = ['invalid_request']
  if (method !== 'GET') implied.push('forbidden_origin')
  if (access.by !== 'anyone') {
    implied.push('unauthorized', 'rate_limited')
    if (access.by === 'person' || roleFor(route) === 'admin') implied.push('api_key_required')
    if (access.partner !== 'any' || roleFor(route) === 'admin') implied.push('partner_not_active')
    if (access.partner === 'payer') implied.push('verification_required')
    if (access.finds === 'claim') implied.push('idempotency_key_required')
  }
  if (params) implied.push('not_found')
  if (body) implied.push('invalid_json', 'payload_too_large', 'unsupported_media_type')
  return implied
}
