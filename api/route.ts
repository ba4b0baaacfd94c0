// What one route of §4 is: the table of them drives the router, the validators, the OpenAPI document and the tests.
import type { TSchema } from 'typebox'
import type { Caller } from '../db/callers'
import type { PayoutRow } from '../db/payouts'
import type { ApiDeps } from './deps'
import type { ErrorCode } from './errors'

export interface Route {
  readonly method: 'GET' | 'POST'
  /** With parameters as `:name`. */
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly params?: TSchema
  readonly query?: TSchema
  /** Request headers that the handler reads, for the document only: handlers judge headers themselves. */
  readonly headers?: TSchema
  readonly body?: RequestBody
  readonly reply: ReplyShape
  /** What the route itself may refuse with; what its access and its input imply is added by errorsOf. */
  readonly errors: readonly ErrorCode[]
  readonly handle: Handler
}

export type Access = { readonly by: 'anyone' } | KeyAccess

export interface KeyAccess {
  readonly by: 'key'
  /** Names the call in the activity list. */
  readonly action: string
  /** Whether a suspended partner is let in. */
  readonly partner: 'any' | 'active'
  /** The payout that `:id` names is read together with the key. */
  readonly finds?: 'payout'
}

export interface RequestBody {
  readonly schema: TSchema
  readonly example: unknown
}

export interface ReplyShape {
  readonly status: 200 | 201
  readonly description: string
  readonly schema: TSchema
  readonly example: unknown
  /** What each header of the success tells; an ETag means that If-None-Match may be answered with 304. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Handler = (request: ApiRequest, deps: ApiDeps) => Promise<Reply>

export interface ApiRequest {
  /** Who calls; asking for it on a route that anyone may call is a bug. */
  readonly caller: Caller
  /** What `access.finds` found of the caller's own. */
  readonly payout: PayoutRow | null
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
  header(name: string): string
}

export interface Reply {
  readonly status?: 200 | 201 | 304
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export function errorsOf(route: Route): ErrorCode[] {
  const implied: ErrorCode[] = []
  if (route.access.by === 'key') implied.push('unauthorized', 'rate_limited')
  if (route.access.by === 'key' && route.access.partner === 'active') implied.push('partner_not_active')
  if (route.params) implied.push('not_found')
  if (route.body) implied.push('invalid_json', 'payload_too_large', 'unsupported_media_type', 'invalid_request')
  return [...new Set([...implied, ...route.errors, 'internal_error' as const, 'service_unavailable' as const])]
}
