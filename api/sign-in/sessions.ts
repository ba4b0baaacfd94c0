// The sessions of the signed-in person: lists them, and ends one or all others.
import { type Static, Type } from 'typebox'
import { endSessionOf, endSessionsOf, listSessionsOf, type OpenSession } from '../../db/sign-in/sessions'
import { recordChange } from '../controls/record-change'
import type { ApiDeps } from '../deps'
import { endedCookie } from '../http/callers/cookies'
import { ApiError } from '../http/errors'
import { listShape, presentList } from '../http/list'
import { paramsOf } from '../http/requests/read-request'
import { type ApiRequest, del, get, ok, personOf, type Reply } from '../http/route'
import { Component, Constant, DateTime, IdParams, Nullable, Uuid } from '../http/schema'
import { anyMember, checks } from '../http/steps'
import { SignedOut } from './session'

const SignedInDevice = Component('SignedInDevice', {
  object: Constant('signed_in_device'),
  id: Uuid(),
  device: Nullable(Type.String({ description: 'Browser and system, such as `Chrome on Windows`. Null if unknown.' })),
  current: Type.Boolean({ description: 'Whether this is the session of this request.' }),
  signed_in_at: DateTime(),
  last_used_at: DateTime({ description: 'Accurate to a few minutes.' }),
})

const exampleDevice: Static<typeof SignedInDevice> = {
  object: 'signed_in_device',
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a5b',
  device: 'Chrome on Windows',
  current: true,
  signed_in_at: '2026-11-16T09:00:00.000Z',
  last_used_at: '2026-11-16T09:30:00.000Z',
}

export const listSessionsRoute = get('/v1/auth/sessions', 'listSessions', {
  steps: [...checks('session.list', anyMember), listSessions],
  summary: 'List your sessions',
  description: 'The open sessions of the signed-in person, for every account, most recently used first.',
  reply: listShape('The sessions.', SignedInDevice, [exampleDevice]),
})

async function listSessions(request: ApiRequest, { db, clock, config }: ApiDeps): Promise<Reply> {
  const { email, sessionId } = personOf(request)
  const sessions = await listSessionsOf(db, { email, at: clock.now(), idleMs: config.session.idleMs })
  return { body: presentList(sessions.map((session) => presentDevice(session, sessionId))) }
}

function presentDevice({ id, device, createdAt, lastUsedAt }: OpenSession, currentId: string) {
  const times = { signed_in_at: createdAt.toISOString(), last_used_at: lastUsedAt.toISOString() }
  return { object: 'signed_in_device', id, device, current: id === currentId, ...times }
}

export const endOtherSessionsRoute = del('/v1/auth/sessions/others', 'endOtherSessions', {
  steps: [...checks('session.end_others', anyMember), endOtherSessions],
  summary: 'Sign out of all other sessions',
  description: 'Ends all sessions of this person on other devices. This session continues.',
  reply: ok('All other sessions of this email have ended, for every account.', SignedOut, { signed_out: true }),
})

async function endOtherSessions(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { sessionId, email, partner } = personOf(request)
  await deps.db.transaction(async (tx) => {
    const ended = await endSessionsOf(tx, email, deps.clock.now(), sessionId)
    // Without this check, repeated calls could flood the list of security events.
    if (ended === 0) return
    const change = {
      partnerId: partner.id,
      by: email,
      action: 'session.end_others',
      detail: `sessions ended: ${ended}`,
    }
    await recordChange(tx, { ...change, status: 200 }, request, deps)
  })
  return { body: { signed_out: true }, activity: 'written' }
}

export const endSessionRoute = del('/v1/auth/sessions/:id', 'endSession', {
  steps: [...checks('session.end', anyMember, { params: IdParams }), endOneSession],
  summary: 'Sign out of one session',
  description: 'Takes effect on its next request.',
  reply: ok('The session has ended.', SignedOut, { signed_out: true }),
})

async function endOneSession(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { id } = paramsOf<typeof IdParams>(request)
  const { sessionId, email, partner } = personOf(request)
  const ended = await deps.db.transaction(async (tx) => {
    const found = await endSessionOf(tx, { id, email, at: deps.clock.now() })
    if (found === null) throw new ApiError('not_found')
    const change = { partnerId: partner.id, by: email, action: 'session.end', detail: found.device ?? 'unknown device' }
    await recordChange(tx, { ...change, status: 200 }, request, deps)
    return found
  })
  const headers = ended.id === sessionId ? { 'Set-Cookie': endedCookie(deps.config.publicUrl) } : {}
  return { body: { signed_out: true }, headers, activity: 'written' }
}
