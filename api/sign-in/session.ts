// The session itself: who am I, at which partner, sign out here and everywhere (§5.9).
import { Type } from 'typebox'
import { membershipsOf } from '../../db/partners/members'
import { endSession, endSessionsOf, switchSession } from '../../db/sign-in/sessions'
import { slugPattern } from '../../domain/limits'
import { switchesPerMemberAndHour } from '../../domain/sign-in'
import { recordChange } from '../controls/record-change'
import type { ApiDeps } from '../deps'
import { requireHourly } from '../http/callers/rate-limiter'
import { endedCookie } from '../http/callers/session-cookie'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/typed'
import { type ApiRequest, personOf, type Reply, type Route } from '../http/route'
import { Answer, Pattern, Strict } from '../http/schema'
import { describeSession, exampleSession, Session } from './session-answer'

export const getSession: Route = {
  method: 'GET',
  path: '/v1/auth/session',
  operationId: 'getSession',
  tag: 'Sign-in',
  summary: 'Who is signed in',
  access: { by: 'person', action: 'session.read', partner: 'any' },
  reply: { status: 200, description: 'The session.', schema: Session, example: exampleSession },
  errors: [],
  handle: async (request, deps) => {
    const { partner, ...person } = personOf(request)
    return { body: await describeSession({ ...person, partnerId: partner.id }, deps) }
  },
}

const SwitchRequest = Strict({ slug: Pattern(slugPattern) }, { title: 'SwitchRequest' })

export const switchPartner: Route = {
  method: 'POST',
  path: '/v1/auth/session/partner',
  operationId: 'switchPartner',
  tag: 'Sign-in',
  summary: 'Go on as a member of another partner',
  description: 'At a partner that has invited them this accepts the invitation.',
  access: { by: 'person', action: 'session.switch', partner: 'any', role: 'viewer' },
  body: { schema: SwitchRequest, example: { slug: 'acme' } },
  reply: { status: 200, description: 'The session, now at that partner.', schema: Session, example: exampleSession },
  errors: ['not_found'],
  handle: async (request, deps) => {
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
  },
}

const SignedOut = Answer({ signed_out: Type.Literal(true) }, { title: 'SignedOut' })

const signedOut = {
  status: 200,
  description: 'The session is over.',
  schema: SignedOut,
  example: { signed_out: true },
  headers: { 'Set-Cookie': 'Takes the cookie away.' },
} as const

export const deleteSession: Route = {
  method: 'DELETE',
  path: '/v1/auth/session',
  operationId: 'deleteSession',
  tag: 'Sign-in',
  summary: 'Sign out',
  access: { by: 'person', action: 'session.end', partner: 'any', role: 'viewer' },
  reply: signedOut,
  errors: [],
  handle: (request, deps) => signOut(request, deps, 'session.end'),
}

export const deleteSessions: Route = {
  method: 'DELETE',
  path: '/v1/auth/sessions',
  operationId: 'deleteSessions',
  tag: 'Sign-in',
  summary: 'Sign out everywhere',
  access: { by: 'person', action: 'session.end_all', partner: 'any', role: 'viewer' },
  reply: { ...signedOut, description: 'All sessions of this email are over, at every partner.' },
  errors: [],
  handle: (request, deps) => signOut(request, deps, 'session.end_all'),
}

async function signOut(request: ApiRequest, deps: ApiDeps, action: 'session.end' | 'session.end_all'): Promise<Reply> {
  const { sessionId, email, partner } = personOf(request)
  const at = deps.clock.now()
  await deps.db.transaction(async (tx) => {
    await (action === 'session.end' ? endSession(tx, sessionId, at) : endSessionsOf(tx, email, at))
    await recordChange(tx, { partnerId: partner.id, by: email, action, status: 200 }, request, deps)
  })
  const headers = { 'Set-Cookie': endedCookie(deps.config.publicUrl) }
  return { body: { signed_out: true }, headers, activity: 'written' }
}
