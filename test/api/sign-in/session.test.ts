// Sessions: where their token is stored, how long they last, and which actions end them.
import { describe, expect, test } from '@jest/globals'
import { readSessionCookie, sessionCookie } from '../../../api/http/callers/cookies'
import { type CallOptions, testOrigin } from '../../support/api/client'
import { sendConfirmed } from '../../support/api/confirmed'
import { aClock, aPartner, aSession } from '../../support/api/fixtures'
import { aBrowserCookie, aCode, aMember, signIn, tokenOf, useMailedApi } from '../../support/api/people'
import { statementsDuring } from './statements'

const clock = aClock('2026-11-16T12:00:00Z')
const { api, inbox } = useMailedApi({ clock })

const statusOf = async (session: string) => (await api.get('/v1/auth/session', { session })).status

describe('the cookie', () => {
  test('is hidden from scripts, other sites and plain HTTP', () => {
    expect(sessionCookie('https://payouts.example.com', 'x', 604_800_000)).toBe(
      '__Host-session=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800; Secure',
    )
  })

  test.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])('is not Secure at %s', (url) => {
    expect(sessionCookie(url, 'x', 1_000)).toBe('session=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=1')
  })

  test('is Secure at any other address, even one configured with http by mistake', () => {
    expect(sessionCookie('http://payouts.example.com', 'x', 1_000)).toMatch(/^__Host-session=.*; Secure$/)
  })

  test('is read by its full name, and only if its value can be a token', () => {
    const token = 'a'.repeat(43)
    const read = (header: string) => readSessionCookie('https://payouts.example.com', header)

    expect(read(`theme=dark; __Host-session=${token}; x=y`)).toBe(token)
    expect(['', 'session=', `session=${token}`, `x__Host-session=${token}`, '__Host-session=short'].map(read)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ])
  })

  test('is set by a sign-in', async () => {
    const { email } = await aMember(api, await aPartner(api))
    const { headers } = await signIn(api, email, await aCode(api, inbox, email))

    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800; Secure$/,
      ),
    ])
  })
})

function withCookieOf(session: string): CallOptions {
  return { headers: { Origin: testOrigin, Cookie: `${aBrowserCookie}; __Host-session=${session}` } }
}

test('each sign-in gets a new token, and ends the session whose cookie was sent with the request', async () => {
  const partner = await aPartner(api)
  const { email } = await aMember(api, partner)
  const planted = await aSession(api, partner)
  const code = await aCode(api, inbox, email)

  const answer = await api.post('/v1/auth/sessions', { email, code }, withCookieOf(planted))

  expect(answer.status).toBe(201)
  expect(tokenOf(answer)).not.toBe(planted)
  expect([await statusOf(planted), await statusOf(tokenOf(answer))]).toEqual([401, 200])
})

test('a token chosen by an attacker never becomes a session', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const chosen = 'A'.repeat(43)
  const code = await aCode(api, inbox, email)

  const answer = await api.post('/v1/auth/sessions', { email, code }, withCookieOf(chosen))

  expect(answer.status).toBe(201)
  expect(await statusOf(chosen)).toBe(401)
})

test('the database does not contain the token', async () => {
  const token = await aSession(api, await aPartner(api))

  const rows = await api.db.dataSource.query('SELECT s::text AS line FROM sessions s')

  const hex = Buffer.from(token, 'base64url').toString('hex')
  for (const { line } of rows) expect(line).not.toMatch(new RegExp(`${token}|${hex}`))
})

test('signing out ends this session and removes the cookie', async () => {
  const partner = await aPartner(api)
  const [here, there] = [await aSession(api, partner), await aSession(api, partner)]

  const answer = await api.send('DELETE', '/v1/auth/session', undefined, { session: here })

  expect([answer.status, answer.body]).toEqual([200, { signed_out: true }])
  expect(answer.headers.get('Set-Cookie')).toMatch(/^__Host-session=; .*Max-Age=0; Secure$/)
  expect([await statusOf(here), await statusOf(there)]).toEqual([401, 200])
})

test('signing out everywhere ends all of a person’s sessions, at every partner, and no others', async () => {
  const [partner, other] = [await aPartner(api), await aPartner(api)]
  const { email } = await aMember(api, partner)
  await aMember(api, other, { email })
  const first = tokenOf(await signIn(api, email, await aCode(api, inbox, email), { partner: partner.slug }))
  clock.set(new Date(clock.now().getTime() + 1_000).toISOString())
  const second = tokenOf(await signIn(api, email, await aCode(api, inbox, email), { partner: other.slug }))
  const colleague = await aSession(api, partner)

  await api.send('DELETE', '/v1/auth/sessions', undefined, { session: first })

  expect([await statusOf(first), await statusOf(second), await statusOf(colleague)]).toEqual([401, 401, 200])
})

test('a session ends after twelve idle hours, and each use restarts the period', async () => {
  clock.set('2026-11-16T00:00:00Z')
  const session = await aSession(api, await aPartner(api))

  const seen: number[] = []
  for (const at of ['2026-11-16T11:59:59Z', '2026-11-16T23:59:00Z', '2026-11-17T11:59:01Z']) {
    clock.set(at)
    seen.push(await statusOf(session))
  }

  expect(seen).toEqual([200, 200, 401])
})

test('a background request is answered, but does not keep an idle session alive', async () => {
  clock.set('2026-11-18T00:00:00Z')
  const session = await aSession(api, await aPartner(api))
  const headers = { 'X-Background': 'true' }

  const seen: number[] = []
  for (const at of ['2026-11-18T06:00:00Z', '2026-11-18T11:59:59Z', '2026-11-18T12:00:01Z']) {
    clock.set(at)
    seen.push((await api.get('/v1/auth/session', { session, headers })).status)
  }

  expect(seen).toEqual([200, 200, 401])
})

test('a write always counts as activity', async () => {
  clock.set('2026-11-20T00:00:00Z')
  const session = await aSession(api, await aPartner(api))
  const call = { session, headers: { 'X-Background': 'true' } }

  clock.set('2026-11-20T11:00:00Z')
  await api.send('PATCH', '/v1/account', { brand_color: '#000000' }, call)
  clock.set('2026-11-20T22:00:00Z')

  expect(await statusOf(session)).toBe(200)
})

test('a session ends after seven days, however active it is', async () => {
  clock.set('2026-12-01T00:00:00Z')
  const session = await aSession(api, await aPartner(api))
  for (let hours = 10; hours < 168; hours += 10) {
    clock.set(new Date(Date.parse('2026-12-01T00:00:00Z') + hours * 3_600_000).toISOString())
    expect(await statusOf(session)).toBe(200)
  }

  clock.set('2026-12-08T00:00:00Z')

  expect(await statusOf(session)).toBe(401)
})

test('checking a session costs a request one statement, and occasionally a second one that extends the session', async () => {
  clock.set('2026-12-10T00:00:00Z')
  const session = await aSession(api, await aPartner(api))

  const names = await statementsDuring(api.db, async () => {
    await api.get('/v1/payouts/01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56', { session })
    clock.set('2026-12-10T00:10:00Z')
    await api.get('/v1/payouts/01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56', { session })
  })

  const ours = names.filter((text) => /s.token_digest = |^UPDATE sessions SET last_used_at/.test(text))
  expect(ours.map((text) => text.split(' ')[0])).toEqual(['SELECT', 'SELECT', 'UPDATE'])
})

test('a removed member is refused immediately', async () => {
  const partner = await aPartner(api)
  const admin = await aSession(api, partner)
  const removed = await aSession(api, partner)
  const id = await memberOf(removed)

  await api.send('DELETE', `/v1/members/${id}`, undefined, { session: admin })

  expect(await statusOf(removed)).toBe(401)
})

test('a changed role applies to the member’s next request', async () => {
  const partner = await aPartner(api)
  const admin = await aSession(api, partner)
  const [demoted, promoted] = [await aSession(api, partner), await aSession(api, partner, 'viewer')]
  const makeKey = (session: string) => api.post('/v1/keys', { environment: 'sandbox' }, { session })
  const before = [(await makeKey(demoted)).status, (await makeKey(promoted)).status]

  await api.send('PATCH', `/v1/members/${await memberOf(demoted)}`, { role: 'viewer' }, { session: admin })
  await sendConfirmed(
    api,
    'PATCH',
    `/v1/members/${await memberOf(promoted)}`,
    { role: 'admin' },
    { session: admin },
    inbox,
  )

  expect([before, [(await makeKey(demoted)).status, (await makeKey(promoted)).status]]).toEqual([
    [201, 403],
    [403, 201],
  ])
})

test('an API key takes precedence over a cookie, and a cookie does not replace a wrong key', async () => {
  const session = await aSession(api, await aPartner(api))

  const answer = await api.get('/v1/account', { session, headers: { Authorization: 'Bearer nonsense' } })

  expect([answer.status, answer.body.error?.code]).toEqual([401, 'unauthorized'])
})

test('a member sees the requested environment, and the sandbox by default', async () => {
  const session = await aSession(api, await aPartner(api))
  const environmentOf = async (query: string) => (await api.get(`/v1/account${query}`, { session })).body['environment']

  expect(await Promise.all(['', '?environment=sandbox', '?environment=live'].map(environmentOf))).toEqual([
    'sandbox',
    'sandbox',
    'live',
  ])
})

test('the activity list omits members’ reads, but shows refusals', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner, 'viewer')
  await api.get('/v1/account', { session })
  await api.post('/v1/keys', { environment: 'sandbox' }, { session })

  const { body } = await api.get('/v1/activity', { session })

  const byMembers = body.data?.filter(({ by }) => String(by).endsWith('@people.test'))
  expect(byMembers).toEqual([expect.objectContaining({ action: 'key.create', status: 403 })])
})

async function memberOf(session: string): Promise<string> {
  const [me, team] = [await api.get('/v1/auth/session', { session }), await api.get('/v1/members', { session })]
  return String(team.body.data?.find(({ email }) => email === Object(me.body['member']).email)?.['id'])
}
