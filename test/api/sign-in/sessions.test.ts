// A person can list their own sessions, and end one of them or all others.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { aClock, aPartner, aSession } from '../../support/api/fixtures'
import { aBrowserCookie, aCode, aMember, inOneBrowser, tokenOf, useMailedApi } from '../../support/api/people'

const clock = aClock('2026-11-16T12:00:00Z')
const { api, inbox } = useMailedApi({ clock })

const onWindows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0 Safari/537.36'
const onPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'

const statusOf = async (session: string) => (await api.get('/v1/auth/session', { session })).status
const sessionsOf = async (session: string) => (await api.get('/v1/auth/sessions', { session })).body.data ?? []
const end = (which: string, session: string) => api.send('DELETE', `/v1/auth/sessions/${which}`, undefined, { session })

async function signInFrom(userAgent: string, email: string, partner?: string): Promise<string> {
  // Advances the clock, because a code is valid only if it is newer than the previous one.
  clock.set(new Date(clock.now().getTime() + 1_000).toISOString())
  const code = await aCode(api, inbox, email)
  const headers = { ...inOneBrowser.headers, 'User-Agent': userAgent }
  return tokenOf(await api.post('/v1/auth/sessions', { email, code, ...(partner ? { partner } : {}) }, { headers }))
}

/** A person with a session on a computer and one on a phone, at two partners. */
async function aPersonWithTwoSessions() {
  const [partner, other] = [await aPartner(api), await aPartner(api)]
  const { email } = await aMember(api, partner, { role: 'viewer' })
  await aMember(api, other, { email })
  const computer = await signInFrom(onWindows, email, partner.slug)
  const phone = await signInFrom(onPhone, email, other.slug)
  return { partner, email, computer, phone }
}

test('a person sees their open sessions at every partner, with device names and without IP addresses', async () => {
  const { partner, computer } = await aPersonWithTwoSessions()
  await aSession(api, partner)

  const { status, body } = await api.get('/v1/auth/sessions', { session: computer })

  expect(status).toBe(200)
  expect(body.data).toEqual([
    expect.objectContaining({ device: 'Safari on iPhone', current: false }),
    expect.objectContaining({ device: 'Chrome on Windows', current: true }),
  ])
  const stored = JSON.stringify(await api.db.dataSource.query('SELECT s::text AS line FROM sessions s'))
  expect(stored).not.toMatch(/Mozilla|127\.0\.0\.1|::1/)
})

test('a session that has been idle for too long is not in the list', async () => {
  const { computer, phone } = await aPersonWithTwoSessions()
  clock.set(new Date(clock.now().getTime() + 11 * 3_600_000).toISOString())
  await statusOf(computer)
  clock.set(new Date(clock.now().getTime() + 2 * 3_600_000).toISOString())

  expect(await sessionsOf(computer)).toHaveLength(1)
  expect(await statusOf(phone)).toBe(401)
})

test('ending another session takes effect on its next request, and is in the audit log', async () => {
  const { email, computer, phone } = await aPersonWithTwoSessions()
  const id = String((await sessionsOf(computer)).find(({ current }) => current === false)?.['id'])

  const { status, headers, body } = await end(id.toUpperCase(), computer)

  expect([status, body, headers.get('Set-Cookie')]).toEqual([200, { signed_out: true }, null])
  expect([await statusOf(phone), await statusOf(computer)]).toEqual([401, 200])
  expect(await sessionsOf(computer)).toHaveLength(1)
  expect((await end(id, computer)).status).toBe(404)
  const { body: log } = await api.get('/v1/activity?security_only=true', { session: computer })
  expect(log.data?.[0]).toMatchObject({ action: 'session.end', by: email, detail: 'Safari on iPhone' })
})

test('ending one’s own session also removes the cookie', async () => {
  const { computer } = await aPersonWithTwoSessions()
  const id = String((await sessionsOf(computer)).find(({ current }) => current)?.['id'])

  const { headers } = await end(id, computer)

  expect(headers.get('Set-Cookie')).toMatch(/^__Host-session=; .*Max-Age=0/)
  expect(await statusOf(computer)).toBe(401)
})

test('ending another person’s session is 404, even for an admin of the same partner, and the session remains open', async () => {
  const partner = await aPartner(api)
  const [admin, colleague] = [await aSession(api, partner), await aSession(api, partner, 'viewer')]
  const id = String((await sessionsOf(colleague))[0]?.['id'])

  const answers = [await end(id, admin), await end(randomUUID(), admin)]

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
    [404, 'not_found'],
    [404, 'not_found'],
  ])
  expect(await statusOf(colleague)).toBe(200)
})

test('ending all other sessions ends only the person’s own, and is recorded only if a session has ended', async () => {
  const { partner, computer, phone } = await aPersonWithTwoSessions()
  const colleague = await aSession(api, partner)

  const answers = [await end('others', computer), await end('others', computer)]

  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect([await statusOf(computer), await statusOf(phone), await statusOf(colleague)]).toEqual([200, 401, 200])
  const { body: log } = await api.get('/v1/activity?security_only=true', { session: computer })
  expect(log.data?.filter(({ action }) => action === 'session.end_others')).toEqual([
    expect.objectContaining({ detail: 'sessions ended: 1' }),
  ])
})

test.each(['others', 'id'])('a page on another site cannot end sessions (DELETE %s)', async (which) => {
  const { computer, phone } = await aPersonWithTwoSessions()
  const id = which === 'id' ? String((await sessionsOf(phone))[0]?.['id']) : which
  const headers = { Origin: 'https://evil.example', Cookie: `${aBrowserCookie}; __Host-session=${computer}` }

  const { status, body } = await api.send('DELETE', `/v1/auth/sessions/${id}`, undefined, { headers })

  expect([status, body.error?.code]).toEqual([403, 'forbidden_origin'])
  expect(await statusOf(phone)).toBe(200)
})
