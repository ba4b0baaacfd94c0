// Lets a caller in: who calls, how often, and what they may do. Writes check it again, because a right can be withdrawn at any time.
import { parse as parseQuery } from 'node:querystring'
import type { Db, Queryable } from '../../../db/database'
import { findClaim } from '../../../db/payouts/claims'
import { findPayout } from '../../../db/payouts/payouts'
import { type Caller, holdCaller, type PersonCaller } from '../../../db/sign-in/callers'
import { idempotencyKeyPattern } from '../../../domain/limits'
import type { ApiDeps } from '../../deps'
import type { ApiContext } from '../answer'
import { ApiError } from '../errors'
import { uuidPattern } from '../requests/validate'
import { type ApiRequest, type CallerAccess, type Forbidden, isOfPartner, type Route, roleFor } from '../route'
import {
  authenticate,
  authenticatePerson,
  authenticateWithClaim,
  authenticateWithPayout,
  requireCredential,
  sessionOver,
} from './authenticate'
import { clientAddress } from './client-address'
import { isFromOurPages } from './origin'
import { historyWeight } from './rate-limiter'
import { readSessionCookie } from './session-cookie'

interface Screened {
  readonly access: CallerAccess
  readonly address: string
  readonly credential: string
}

/** Refuses what can be refused without body and database, so that unknown callers cost neither. Null where anyone may call. */
export function screen(route: Route, context: ApiContext, deps: ApiDeps): Screened | null {
  const { access, body } = route
  const { rateLimiter, config } = deps
  const address = addressOf(context, config.trustedProxies)
  if (access.by === 'anyone') {
    // A page of another site must not sign anybody in.
    requireOurPages(route, context, deps)
    if (body !== undefined && !rateLimiter.takeAnonymous(address)) throw tooMany('Too many requests of this address.')
    return null
  }
  const header = context.get('Authorization')
  const token = header === '' ? readSessionCookie(config.publicUrl, context.req.headers.cookie) : null
  const credential = requireCredential(header, token)
  if (!rateLimiter.credentials.allow(address, credential)) {
    throw tooMany('Too many requests of this address had an unknown API key or an ended session.')
  }
  return { access, address, credential }
}

function tooMany(message: string): ApiError {
  return new ApiError('rate_limited', { message, headers: { 'Retry-After': '1' } })
}

export interface Admitted extends Pick<ApiRequest, 'payout' | 'claim' | 'idempotencyKey' | 'mayOnlyRepeat'> {
  readonly caller: Caller | null
}

const nothingFound = { payout: null, claim: null, idempotencyKey: '' }
export const anonymous: Admitted = { caller: null, ...nothingFound, mayOnlyRepeat: null }

/** Who calls, whether they call too often, and what they may do: 401, 429 and 403, in this order. */
export async function admit(route: Route, screened: Screened, context: ApiContext, deps: ApiDeps): Promise<Admitted> {
  const { access } = screened
  const { caller, ...found } = await identify(screened, context, deps)
  context.state.caller = caller
  await countCall(route, caller, context, deps)
  if (caller.by === 'person') {
    requireOurPages(route, context, deps)
    requireShownPartner(route, context, caller)
  }
  const forbidden = judge(route, access, caller, context)
  if (forbidden !== null && !mayRepeat(found)) throw forbidden
  if (access.finds === 'claim' && found.idempotencyKey === '') throw new ApiError('idempotency_key_required')
  return { caller, ...found, mayOnlyRepeat: forbidden }
}

async function identify({ access, address, credential }: Screened, context: ApiContext, deps: ApiDeps): Promise<Found> {
  const { credentials } = deps.rateLimiter
  const found = await find(access, context, deps).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'unauthorized') credentials.countWrong(address, credential)
    throw error
  })
  credentials.countRight(credential)
  return found
}

/** Throws where the role is too low. Returns why the partner may not do this, as a repeat of a stored payout is allowed even then. */
function judge(route: Route, access: CallerAccess, caller: Caller, context: ApiContext): ApiError | null {
  if (!isFor(route, access, caller) && !isOnOneself(access, caller, context)) throw new ApiError('api_key_required')
  const code = forbiddenTo(caller, route, access)
  return code === null ? null : new ApiError(code)
}

/** Between admission and a write, a key may be revoked, a session ended, a role changed or a partner suspended. */
export async function requireStillAdmitted(
  db: Queryable,
  route: Route,
  { caller, mayOnlyRepeat }: Admitted,
  context: ApiContext,
): Promise<void> {
  if (caller === null || route.access.by === 'anyone') return
  const held = await holdCaller(db, caller)
  if (held === null) throw caller.by === 'person' ? sessionOver() : new ApiError('unauthorized')
  if (held.by === 'person' && caller.by === 'person' && held.memberId !== caller.memberId && isOfPartner(route)) {
    throw otherPartner()
  }
  const forbidden = judge(route, route.access, held, context)
  if (forbidden !== null && mayOnlyRepeat === null) throw forbidden
}

/** For handlers that change something: every transaction checks the caller first, and holds what it found until it ends. */
export function checkingFirst(db: Db, recheck: (tx: Queryable) => Promise<void>): Db {
  const transaction: Db['transaction'] = (work) =>
    db.transaction(async (tx) => {
      await recheck(tx)
      return work(tx)
    })
  return { ...db, transaction }
}

export function mayRepeat({ claim }: Pick<Found, 'claim'>): boolean {
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
  throw otherPartner()
}

function otherPartner(): ApiError {
  return new ApiError('invalid_state', {
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

/** People have a bucket of their own: a key that runs wild must not lock out the admin who has to revoke it. */
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

export function addressOf(context: ApiContext, trustedProxies: number): string {
  const remote = context.req.socket.remoteAddress
  return clientAddress({ remote, forwardedFor: context.get('X-Forwarded-For') }, trustedProxies)
}
