// Step `authorize`: decides whether the caller may use the route. Writes check the rights again, because they can be
// withdrawn at any time.
import type { Db, Queryable } from '../../../db/database'
import { type Caller, holdCaller, type PersonCaller } from '../../../db/sign-in/callers'
import { ApiError, type ErrorCode } from '../errors'
import {
  type ApiContext,
  type Authorization,
  type CallerAccess,
  type Exchange,
  isOfPartner,
  type Rights,
  type Route,
  roleFor,
} from '../route'
import { sessionOver } from './authenticate'
import { requireOurPages } from './origin'

export function authorize(action: string, rights: Rights): Authorization {
  return {
    kind: 'authorize',
    access: { action, ...rights },
    bind: (route, deps) => (exchange) => {
      const { caller, context } = exchange
      if (caller === null) return
      if (caller.by === 'person') {
        requireOurPages(route, context, deps)
        requireShownPartner(route, context, caller)
      }
      const refusal = judge(route, caller, context)
      if (refusal !== null && !exchange.isRepeatable) throw refusal
      exchange.refusal = refusal
    },
  }
}

/**
 * Checks the caller again. Between the step and a write, a key may be revoked, a session ended, a role changed or a
 * partner suspended.
 */
export async function requireStillAuthorized(
  db: Queryable,
  route: Route,
  { caller, refusal: known, context }: Exchange,
): Promise<void> {
  if (caller === null) return
  const held = await holdCaller(db, caller)
  if (held === null) throw caller.by === 'person' ? sessionOver() : new ApiError('unauthorized')
  if (held.by === 'person' && caller.by === 'person' && held.memberId !== caller.memberId && isOfPartner(route)) {
    throw otherPartner()
  }
  const refusal = judge(route, held, context)
  if (refusal !== null && known === null) throw refusal
}

/**
 * For handlers that write: every transaction first checks the caller, and locks the checked rows until the transaction
 * ends.
 */
export function withCallerCheck(db: Db, recheck: (tx: Queryable) => Promise<void>): Db {
  const transaction: Db['transaction'] = (work) =>
    db.transaction(async (tx) => {
      await recheck(tx)
      return work(tx)
    })
  return { ...db, transaction }
}

/**
 * Throws if the role is too low. If the partner's state forbids new requests, returns a refusal instead, because the
 * partner may still repeat stored requests.
 */
function judge(route: Route, caller: Caller, context: ApiContext): ApiError | null {
  const { access } = route
  if (access.by === 'anyone') return null
  if (!isFor(route, access, caller) && !isOnOneself(access, caller, context)) throw new ApiError('api_key_required')
  const code = refusalFor(caller, route, access)
  return code === null ? null : new ApiError(code)
}

function isFor(route: Route, access: CallerAccess, caller: Caller): boolean {
  if (caller.by === 'key') return access.by === 'key'
  return caller.role === 'admin' || roleFor(route) === 'viewer'
}

function isOnOneself(access: CallerAccess, caller: Caller, { params }: ApiContext): boolean {
  return access.onOneself === 'allowed' && caller.by === 'person' && params?.['id']?.toLowerCase() === caller.memberId
}

/** A closed partner may only read, so admin routes, which all change something, are refused. */
function refusalFor({ partner, environment }: Caller, route: Route, access: CallerAccess): ErrorCode | null {
  if (access.partner !== 'any' && partner.status !== 'active') return 'partner_not_active'
  if (partner.status === 'closed' && roleFor(route) === 'admin') return 'partner_not_active'
  const isVerified = environment === 'sandbox' || partner.verificationStatus === 'approved'
  return access.partner === 'payer' && !isVerified ? 'verification_required' : null
}

/**
 * Rejects a request from a page that shows another partner, because a second tab may have switched the session. A retry
 * with the same Idempotency-Key would then pay again, from the other partner's wallet.
 */
function requireShownPartner(route: Route, context: ApiContext, { partner }: PersonCaller): void {
  const shown = context.get('X-Partner-Id').toLowerCase()
  if (shown === '' || shown === partner.id || !isOfPartner(route)) return
  throw otherPartner()
}

function otherPartner(): ApiError {
  return new ApiError('invalid_state', {
    message: 'This page shows a different account from the one you are signed in to. Reload it.',
    details: { status: 'other_partner' },
  })
}
