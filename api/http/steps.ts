// The steps of routes, in the order in which a route lists them.
import type { Caller } from '../../db/sign-in/callers'
import { idempotencyKeyPattern } from '../../domain/limits'
import type { ApiDeps } from '../deps'
import { authenticate } from './callers/authenticate'
import { authorize } from './callers/authorize'
import { historyWeight } from './callers/rate-limiter'
import { ApiError } from './errors'
import { validate } from './requests/read-request'
import type { ApiContext, Checks, Idempotency, RateLimit, Rights, Schemas } from './route'

export { authenticateWith, openToAnyone } from './callers/authenticate'
export { authenticate, authorize, validate }

/** The usual steps before a handler: authenticate, limit, authorize, validate. */
export function checks(action: string, access: Rights, schemas?: Schemas): Checks<null> {
  return [authenticate, limit, authorize(action, access), validate(schemas)]
}

/** A signed-in person with any role, whatever the status of the partner. */
export const anyMember: Rights = { by: 'person', partner: 'any', role: 'viewer' }

/** Like `checks`, for a read of a partner's whole history. */
export function historyChecks(action: string, access: Rights, schemas?: Schemas): Checks<null> {
  return [authenticate, limitHistoryRead, authorize(action, access), validate(schemas)]
}

/** Counts the request against its caller's rate limit. */
export const limit: RateLimit = rateLimit('rows', 1)

/**
 * For reads of a partner's whole history. Each counts as several requests and runs on the connections for costly reads.
 */
export const limitHistoryRead: RateLimit = rateLimit('history', historyWeight)

function rateLimit(reads: RateLimit['reads'], weight: number): RateLimit {
  return {
    kind: 'limit',
    reads,
    bind:
      (_route, deps) =>
      async ({ caller, context }) => {
        if (caller !== null) await count(caller, weight, context, deps)
      },
  }
}

/**
 * People and keys have separate buckets: a key that sends too many requests must not lock out the admin who has to
 * revoke it.
 */
async function count(caller: Caller, weight: number, context: ApiContext, { rateLimiter }: ApiDeps): Promise<void> {
  const { partner, environment } = caller
  const who = caller.by === 'key' ? partner.id : caller.memberId
  const taken = await rateLimiter.take({ who, environment, limitPerSecond: partner.rateLimit, weight })
  if (taken.limitPerSecond > 0) {
    context.res.setHeader('RateLimit-Policy', `"partner";q=${taken.limitPerSecond};w=1`)
    context.res.setHeader('RateLimit', `"partner";r=${taken.remaining};t=1`)
  }
  if (taken.outcome === 'refused') throw new ApiError('rate_limited', { headers: { 'Retry-After': '1' } })
}

/** Requires a well-formed Idempotency-Key. The route's lookup finds the stored request. */
export const idempotent: Idempotency = {
  kind: 'idempotent',
  bind: () => (exchange) => {
    if (readIdempotencyKey(exchange.context) === null) throw new ApiError('idempotency_key_required')
  },
}

const keyPattern = new RegExp(idempotencyKeyPattern)

/** Null when the header is missing or malformed. */
export function readIdempotencyKey(context: ApiContext): string | null {
  const sent = context.get('Idempotency-Key')
  return keyPattern.test(sent) ? sent : null
}
