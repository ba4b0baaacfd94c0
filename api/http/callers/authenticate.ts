// Steps `authenticate` and `openToAnyone`. `authenticate` looks up the API key or the session on each request, so a
// revoked key, an ended session and a removed member are refused immediately.
import { parse as parseQuery } from 'node:querystring'
import type { PersonCaller } from '../../../db/sign-in/callers'
import { findPerson, touchSession } from '../../../db/sign-in/sessions'
import type { ApiDeps } from '../../deps'
import { ApiError } from '../errors'
import { receiveJson } from '../requests/read-json'
import {
  type ApiContext,
  type Authentication,
  type FoundWithCaller,
  type Lookup,
  type OpenToAnyone,
  type Route,
  scopeOf,
} from '../route'
import { identifyKey, readKey } from './api-keys'
import { readSessionCookie } from './cookies'
import { addressOf, requireOurPages } from './origin'

export const openToAnyone: OpenToAnyone = {
  kind: 'open',
  bind: (route, deps) => async (exchange) => {
    const { context } = exchange
    // A page on another site must not be able to sign a person in.
    requireOurPages(route, context, deps)
    if (route.body && !deps.rateLimiter.takeAnonymous(addressOf(context, deps.config.trustedProxies))) {
      throw tooMany('Too many requests from this address.')
    }
    exchange.received = await receiveBody(route, context)
  },
}

/** Identifies the caller and looks up the object that the request names. */
export function authenticateWith<Found>(lookup: Lookup<Found>): Authentication<Found> {
  return {
    kind: 'authenticate',
    lookup,
    bind: (route, deps) => async (exchange) => {
      const { context } = exchange
      const { credentials } = deps.rateLimiter
      const address = addressOf(context, deps.config.trustedProxies)
      const credential = requireCredential(context, deps)
      if (!credentials.allow(address, credential.secret)) {
        throw tooMany('Too many requests from this address had an unknown API key or an ended session.')
      }
      // Receive the body before the lookup, so that the lookup notices rights that are withdrawn while the body
      // arrives.
      exchange.received = await receiveBody(route, context)
      const { caller, found } = await identify(credential, lookup, context, deps).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'unauthorized')
          credentials.countWrong(address, credential.secret)
        throw error
      })
      credentials.countRight(credential.secret)
      exchange.caller = context.state.caller = caller
      exchange.found = found
      exchange.isRepeatable = lookup.isRepeatable(found)
      exchange.subjectOf = (reply) => lookup.subjectOf(found, reply)
    },
  }
}

export const authenticate: Authentication<null> = authenticateWith({
  nameIn: () => null,
  nothing: null,
  findWithKey: async () => null,
  findForPerson: async () => null,
  isRepeatable: () => false,
  subjectOf: () => null,
})

async function receiveBody(route: Route, context: ApiContext): Promise<Buffer | ApiError | null> {
  return route.body === undefined ? null : receiveJson(context.req)
}

function tooMany(message: string): ApiError {
  return new ApiError('rate_limited', { message, headers: { 'Retry-After': '1' } })
}

interface Credential {
  readonly by: 'key' | 'person'
  readonly secret: string
}

/** Rejects a credential that cannot be ours before it costs a query or the memory for a body. */
function requireCredential(context: ApiContext, { config }: ApiDeps): Credential {
  const header = context.get('Authorization')
  const by = header === '' ? 'person' : 'key'
  const secret = by === 'key' ? readKey(header) : readSessionCookie(config.publicUrl, context.req.headers.cookie)
  if (secret === null) throw new ApiError('unauthorized')
  return { by, secret }
}

async function identify<Found>(
  { by, secret }: Credential,
  lookup: Lookup<Found>,
  context: ApiContext,
  deps: ApiDeps,
): Promise<FoundWithCaller<Found>> {
  const name = lookup.nameIn(context)
  if (by === 'key') return identifyKey(secret, name, lookup, deps)
  const caller = await identifyPerson(secret, context, deps)
  const found = name === null ? lookup.nothing : await lookup.findForPerson(deps.db, scopeOf({ caller }), name)
  return { caller, found }
}

async function identifyPerson(token: string, context: ApiContext, deps: ApiDeps): Promise<PersonCaller> {
  const { db, clock, config } = deps
  const { idleMs } = config.session
  const at = clock.now()
  const environment = parseQuery(context.querystring)['environment'] === 'live' ? 'live' : 'sandbox'
  const found = await findPerson(db, { token, environment, at, idleMs })
  if (found === null) throw sessionOver()
  const { caller, lastUsedAt } = found
  // A page that polls does not prove that a person is present, so it does not extend the session. Writing the time of
  // every request would cost more than the request itself.
  const isPolling = context.method === 'GET' && context.get('X-Background') === 'true'
  if (!isPolling && at.getTime() - lastUsedAt.getTime() >= idleMs / touchesPerIdle)
    await touchSession(db, caller.sessionId, at)
  return caller
}

const touchesPerIdle = 100

export function sessionOver(): ApiError {
  return new ApiError('unauthorized', { message: 'The session has ended: sign in again.' })
}
