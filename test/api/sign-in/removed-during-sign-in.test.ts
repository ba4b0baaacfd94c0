// A member who is removed while signing in or switching partners is refused, without a server error.
import { beforeAll, expect, test } from '@jest/globals'
import { type MemberRow, removeMember } from '../../../db/partners/members'
import type { PartnerRow } from '../../../db/partners/partners'
import { type Answer, type CallOptions } from '../../support/api/client'
import { aClock, aPartner, aSession } from '../../support/api/fixtures'
import { aBrowserCookie, aCode, aMember, fromOurPages, signIn, tokenOf, useMailedApi } from '../../support/api/people'
import { until } from '../../support/until'

const clock = aClock('2026-11-16T12:00:00Z')
const { api, inbox } = useMailedApi({ clock })
let partner: PartnerRow

beforeAll(async () => {
  partner = await aPartner(api)
  // Adds another admin who has signed in, because the last one cannot be removed.
  await aSession(api, partner)
})

test('a sign-in that waits for the member’s removal gets 401, and leaves no session', async () => {
  const member = await aMember(api, partner)
  const code = await aCode(api, inbox, member.email)

  const answer = await whileRemoving(member, () => signIn(api, member.email, code))

  expect([answer.status, answer.body.error?.code]).toEqual([401, 'invalid_code'])
  expect(await sessionsOf(member)).toEqual([])
})

test('a sign-in with an older session’s cookie also gets 401, and the removal ends that session', async () => {
  const member = await aMember(api, partner)
  const session = tokenOf(await signIn(api, member.email, await aCode(api, inbox, member.email)))
  clock.set('2026-11-16T12:00:05Z')
  const code = await aCode(api, inbox, member.email)
  const cookie = `${aBrowserCookie}; __Host-session=${session}`
  const call: CallOptions = { headers: { ...fromOurPages.headers, Cookie: cookie } }

  const answer = await whileRemoving(member, () => api.post('/v1/auth/sessions', { email: member.email, code }, call))

  expect([answer.status, answer.body.error?.code]).toEqual([401, 'invalid_code'])
  expect((await api.get('/v1/auth/session', { session })).status).toBe(401)
})

test('a removal that runs concurrently with a sign-in leaves no open session', async () => {
  const member = await aMember(api, partner)
  const admin = await aSession(api, partner)
  const code = await aCode(api, inbox, member.email)

  const [signedIn, removed] = await Promise.all([
    signIn(api, member.email, code),
    api.send('DELETE', `/v1/members/${member.id}`, undefined, { session: admin }),
  ])

  expect([201, 401]).toContain(signedIn.status)
  expect(removed.status).toBe(200)
  expect((await api.get('/v1/auth/session', { session: tokenOf(signedIn) })).status).toBe(401)
})

test('a switch that waits for the removal gets 404, and the session keeps its partner', async () => {
  const other = await aPartner(api)
  const here = await aMember(api, partner)
  const session = tokenOf(await signIn(api, here.email, await aCode(api, inbox, here.email)))
  const there = await aMember(api, other, { email: here.email })

  const answer = await whileRemoving(there, () =>
    api.post('/v1/auth/session/partner', { slug: other.slug }, { session }),
  )

  expect([answer.status, answer.body.error?.code]).toEqual([404, 'not_found'])
  expect((await api.get('/v1/account', { session })).body['id']).toBe(partner.id)
})

/** Locks the member, starts the call, and removes the member once the call waits for the lock. */
async function whileRemoving({ id, partnerId }: MemberRow, call: () => Promise<Answer>): Promise<Answer> {
  const { calling } = await api.db.transaction(async (tx) => {
    await tx.sql`SELECT id FROM members WHERE id = ${id} FOR UPDATE`
    const started = call()
    await until('the call waits for the removal', async () => (await waiting()) > 0)
    await removeMember(tx, { partnerId, id })
    return { calling: started }
  })
  return calling
}

async function waiting(): Promise<number> {
  const rows = await api.db.dataSource.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows.length
}

async function sessionsOf({ id }: MemberRow): Promise<unknown[]> {
  return api.db.dataSource.query('SELECT id FROM sessions WHERE member_id = $1', [id])
}
