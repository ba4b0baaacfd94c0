// The current session: reads it, switches its partner and signs out.
import { Type } from 'typebox'
import { membershipsOf } from '../../db/partners/members'
import { endSession, endSessionsOf, switchSession } from '../../db/sign-in/sessions'
import { slugPattern } from '../../domain/limits'
import { switchesPerMemberAndHour } from '../../domain/sign-in'
import { recordChange } from '../controls/record-change'
import type { ApiDeps } from '../deps'
import { endedCookie } from '../http/callers/cookies'
import { requireHourly } from '../http/callers/rate-limiter'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, del, get, type Handler, ok, personOf, post, type Reply } from '../http/route'
import { Body, Component, Pattern } from '../http/schema'
import { anyMember, checks } from '../http/steps'
import { describeSession, exampleSession, Session } from './session-answer'

export const getSessionRoute = get('/v1/auth/session', 'getSession', {
  steps: [...checks('session.read', { by: 'person', partner: 'any' }), getSession],
  summary: 'Retrieve the current session',
  description: 'The signed-in person, their role, the account that the dashboard shows, and their other accounts.',
  reply: ok('The session.', Session, exampleSession),
})

async function getSession(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { partner, ...person } = personOf(request)
  return { body: await describeSession({ ...person, partnerId: partner.id }, deps) }
}

const SwitchRequest = Body('SwitchRequest', { slug: Pattern(slugPattern) })

export const switchPartnerRoute = post('/v1/auth/session/partner', 'switchPartner', {
  steps: [...checks('session.switch', anyMember, { body: SwitchRequest }), switchPartner],
  summary: 'Switch account',
  description: 'Switching to an account that has sent an invitation accepts it.',
  bodyExample: { slug: 'acme' },
  reply: ok('The session, now for that account.', Session, exampleSession),
  errors: ['not_found'],
})

async function switchPartner(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { sessionId, email } = personOf(request)
  const { slug } = bodyOf<typeof SwitchRequest>(request)
  const chosen = (await membershipsOf(deps.db, email, deps.clock.now())).find((each) => each.slug === slug)
  if (chosen === undefined) throw new ApiError('not_found')
  const { memberId, partnerId } = chosen
  await requireHourly(deps.rateLimiter, `switches/${memberId}`, switchesPerMemberAndHour)
  await deps.db.transaction(async (tx) => {
    const place = { sessionId, email, memberId, at: deps.clock.now() }
    if (!(await switchSession(tx, place))) throw new ApiError('not_found')
    await recordChange(tx, { partnerId, by: email, action: 'session.switch', status: 200 }, request, deps)
  })
  return { body: await describeSession({ sessionId, memberId, email, partnerId }, deps), activity: 'written' }
}

export const SignedOut = Component('SignedOut', { signed_out: Type.Literal(true) })

const signedOut = {
  status: 200,
  description: 'The session has ended.',
  schema: SignedOut,
  example: { signed_out: true },
  headers: { 'Set-Cookie': 'Deletes the cookie.' },
} as const

export const deleteSessionRoute = del('/v1/auth/session', 'deleteSession', {
  steps: [...checks('session.end', anyMember), signOut('session.end')],
  summary: 'Sign out',
  description: 'Ends this session. The cookie no longer works.',
  reply: signedOut,
})

export const deleteSessionsRoute = del('/v1/auth/sessions', 'deleteSessions', {
  steps: [...checks('session.end_all', anyMember), signOut('session.end_all')],
  summary: 'Sign out of all sessions',
  description: 'Ends all sessions of this person on every device, including this one.',
  reply: { ...signedOut, description: 'All sessions of this email have ended, for every account.' },
})

function signOut(action: 'session.end' | 'session.end_all'): Handler {
  return async (request, deps) => {
    const { sessionId, email, partner } = personOf(request)
    const at = deps.clock.now()
    await deps.db.transaction(async (tx) => {
      await (action === 'session.end' ? endSession(tx, sessionId, at) : endSessionsOf(tx, email, at))
      await recordChange(tx, { partnerId: partner.id, by: email, action, status: 200 }, request, deps)
    })
    const headers = { 'Set-Cookie': endedCookie(deps.config.publicUrl) }
    return { body: { signed_out: true }, headers, activity: 'written' }
  }
}
