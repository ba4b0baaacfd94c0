// Rate limits: per partner and environment, shared by every API process, with headers that report the
// remaining quota.
import { once as eventOf } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newApiKeySecret } from '../../../db/partners/api-key-secret'
import { type Answer, type Api, type Method, startApi, useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aSession, revokeKey } from '../../support/api/fixtures'

const api = useApi({ rateLimit: 'on' })

test('too many requests with one key get 429, Retry-After and the RateLimit fields', async () => {
  // The limit is so low that even a busy machine sends requests faster than the bucket refills.
  const key = await aKey(api, await aPartner(api, { rateLimitSandbox: 2 }), 'sandbox')

  const answers = await Promise.all(Array.from({ length: 120 }, () => api.get('/v1/account', { key })))

  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.body.error?.code).toBe('rate_limited')
  expect(refused[0]?.headers.get('Retry-After')).toBe('1')
  expect(refused[0]?.headers.get('RateLimit-Policy')).toBe('"partner";q=2;w=1')
  expect(refused[0]?.headers.get('RateLimit')).toBe('"partner";r=0;t=1')
})

test('listing payouts counts as three requests', async () => {
  const remaining = async (path: string) => {
    const key = await aKey(api, await aPartner(api, { rateLimitSandbox: 30 }), 'sandbox')
    const { status, headers } = await api.get(path, { key })
    return [status, headers.get('RateLimit')]
  }

  expect(await remaining('/v1/account')).toEqual([200, '"partner";r=29;t=1'])
  expect(await remaining('/v1/payouts')).toEqual([200, '"partner";r=27;t=1'])
})

test('a limit below the weight of a read still allows one read', async () => {
  const key = await aKey(api, await aPartner(api, { rateLimitSandbox: 1 }), 'sandbox')

  expect((await api.get('/v1/payouts', { key })).status).toBe(200)
})

test('requests whose weights add up to the limit are all accepted', async () => {
  const key = await aKey(api, await aPartner(api, { rateLimitSandbox: 4 }), 'sandbox')

  const answers = [await api.get('/v1/account', { key }), await api.get('/v1/payouts', { key })]

  expect(answers.map(({ status }) => status)).toEqual([200, 200])
})

test('two processes share one limit', async () => {
  const other = await startApi({ rateLimit: 'on', database: api.databaseUrl })
  const key = await aKey(api, await aPartner(api), 'sandbox')

  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => (n % 2 ? api : other).get('/v1/account', { key })),
  )
  const seconds = (performance.now() - startedAt) / 1000

  // The bucket allows one second's quota immediately, and then 25 requests a second, whatever the number of
  // processes.
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(25 + Math.ceil(25 * seconds))
  await other.close()
})

test('one partner’s requests do not affect another partner, and each partner has its own limit', async () => {
  const flooding = await aKey(api, await aPartner(api), 'sandbox')
  const generous = await aKey(api, await aPartner(api, { rateLimitSandbox: 1000 }), 'sandbox')

  const [, answers] = await Promise.all([
    Promise.all(Array.from({ length: 80 }, () => api.get('/v1/account', { key: flooding }))),
    Promise.all(Array.from({ length: 80 }, () => api.get('/v1/account', { key: generous }))),
  ])

  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 80 }, () => 200))
  expect(answers[0]?.headers.get('RateLimit-Policy')).toBe('"partner";q=1000;w=1')
})

test('a refused caller is accepted again when the bucket has refilled', async () => {
  const key = await aKey(api, await aPartner(api, { rateLimitSandbox: 5 }), 'sandbox')
  await Promise.all(Array.from({ length: 30 }, () => api.get('/v1/account', { key })))

  let answer = await api.get('/v1/account', { key })
  for (const startedAt = performance.now(); answer.status === 429 && performance.now() - startedAt < 120_000; ) {
    answer = await api.get('/v1/account', { key })
  }

  expect(answer.status).toBe(200)
})

describe('security events are limited per hour, so that an attacker cannot bury one among many', () => {
  const hurried = () => aPartner(api, { rateLimitSandbox: 1_000 })
  const refusedAfter = async (limit: number, once: () => Promise<Answer>) => {
    const statuses: number[] = []
    for (let n = 0; n < limit; n++) statuses.push((await once()).status)
    const { status, body, headers } = await once()
    return { statuses: new Set(statuses), next: [status, body.error?.code, headers.get('Retry-After')] }
  }

  test('only 30 keys can be created per hour, and keys can always be revoked', async () => {
    const session = await aSession(api, await hurried())
    const revoked: number[] = []
    // A refused request does not count: without a confirm code, a stolen session cannot use up the hourly limit.
    for (let n = 0; n < 31; n++) {
      const refused = await api.post('/v1/keys', { environment: 'live', confirm_code: '000000' }, { session })
      expect(refused.status).not.toBe(429)
    }

    const made = await refusedAfter(30, async () => {
      const answer = await api.post('/v1/keys', { environment: 'sandbox' }, { session })
      const { id } = answer.body
      if (typeof id === 'string') revoked.push((await api.post(`/v1/keys/${id}/revoke`, undefined, { session })).status)
      return answer
    })

    expect(made).toEqual({ statuses: new Set([201]), next: [429, 'rate_limited', '120'] })
    expect([revoked.length, new Set(revoked)]).toEqual([30, new Set([200])])
  })

  test('only 30 switches to a partner are allowed per hour', async () => {
    const partner = await hurried()
    const session = await aSession(api, partner)

    const switched = await refusedAfter(30, () =>
      api.post('/v1/auth/session/partner', { slug: partner.slug }, { session }),
    )

    expect(switched).toEqual({ statuses: new Set([200]), next: [429, 'rate_limited', '120'] })
  })

  test('setting the same role again is not a security event', async () => {
    const partner = await hurried()
    const [session, viewer] = [await aSession(api, partner), await aSession(api, partner, 'viewer')]
    const { id } = Object((await api.get('/v1/auth/session', { session: viewer })).body['member'])
    const path = '/v1/activity?security_only=true'
    const before = (await api.get(path, { session })).body.data

    const { status } = await api.send('PATCH', `/v1/members/${String(id)}`, { role: 'viewer' }, { session })

    expect(status).toBe(200)
    expect((await api.get(path, { session })).body.data).toEqual(before)
  })
})

describe('for unauthenticated requests from one address', () => {
  const clock = aClock('2026-11-16T09:00:00.000Z')
  let still: Api

  beforeAll(async () => {
    still = await startApi({ rateLimit: 'on', trustedProxies: 1, clock })
  })
  afterAll(() => still.close())

  const from = (address: string) => ({ 'X-Forwarded-For': address })

  async function guess(address: string): Promise<string> {
    const { status, body } = await still.get('/v1/account', { key: newApiKeySecret('live'), headers: from(address) })
    return `${status} ${body.error?.code}`
  }

  /** Sends only the headers of a request, without the announced body, and returns the response status. */
  async function sendHead(method: Method, path: string, headers: Readonly<Record<string, string>>): Promise<string> {
    const { hostname, port } = new URL(still.url)
    const lines = Object.entries({ Host: 'payouts.test', 'Content-Length': '60000', ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    const socket = connect(Number(port), hostname)
    await eventOf(socket, 'connect')
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}Content-Type: application/json\r\n\r\n`)
    const [chunk] = await eventOf(socket, 'data')
    socket.destroy()
    return String(chunk).split(' ')[1] ?? ''
  }

  test('100 wrong keys are looked up, and after that one per second', async () => {
    const first = await Promise.all(Array.from({ length: 100 }, () => guess('192.0.2.1')))
    const more = [await guess('192.0.2.1'), await guess('192.0.2.1')]
    clock.set('2026-11-16T09:00:01.000Z')
    const later = [await guess('192.0.2.1'), await guess('192.0.2.1')]

    expect(new Set(first)).toEqual(new Set(['401 unauthorized']))
    expect(more).toEqual(['429 rate_limited', '429 rate_limited'])
    expect(later).toEqual(['401 unauthorized', '429 rate_limited'])
    expect(await guess('192.0.2.2')).toBe('401 unauthorized')
  })

  test('a guess above the limit is refused before its body is sent', async () => {
    await Promise.all(Array.from({ length: 100 }, () => guess('192.0.2.3')))
    const headers = { ...from('192.0.2.3'), Authorization: `Bearer ${newApiKeySecret('live')}` }

    expect(await sendHead('POST', '/v1/payouts', headers)).toBe('429')
  })

  test('a guess above the limit is refused while the database cannot answer', async () => {
    await Promise.all(Array.from({ length: 100 }, () => guess('192.0.2.7')))

    const refused = await still.db.transaction(async (tx) => {
      await tx.sql`LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE`
      return guess('192.0.2.7')
    })

    expect(refused).toBe('429 rate_limited')
  })

  test('a key that was accepted from an address before stays accepted there until it is revoked', async () => {
    const partner = await aPartner(still)
    const [key, session] = [await aKey(still, partner, 'sandbox'), await aSession(still, partner)]
    const headers = from('192.0.2.4')
    const ask = async () => [
      (await still.get('/v1/account', { key, headers })).status,
      (await still.get('/v1/account', { session, headers })).status,
    ]
    const before = await ask()
    await Promise.all(Array.from({ length: 100 }, () => guess('192.0.2.4')))
    const during = await ask()
    await revokeKey(still, partner, key)
    const after = [await ask(), await ask()]

    expect([before, during]).toEqual([
      [200, 200],
      [200, 200],
    ])
    expect(after).toEqual([
      [401, 200],
      [429, 200],
    ])
  })

  test('100 sign-in bodies are read, and the next request is refused before its body is sent', async () => {
    const headers = { ...from('192.0.2.5'), Origin: 'http://payouts.test' }
    const send = () => still.post('/v1/auth/codes', { unknown: true }, { headers })

    const first = await Promise.all(Array.from({ length: 100 }, send))

    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([422]))
    expect(await sendHead('POST', '/v1/auth/codes', headers)).toBe('429')
    expect(await sendHead('POST', '/v1/auth/signups', headers)).toBe('429')
    expect(
      (await still.post('/v1/auth/codes', { unknown: true }, { headers: { ...headers, ...from('192.0.2.6') } })).status,
    ).toBe(422)
  })

  test('a request without a credential is answered before its body is sent', async () => {
    expect(await sendHead('POST', '/v1/payouts', {})).toBe('401')
    expect(await sendHead('POST', '/v1/payouts', { Authorization: 'Bearer kp_live_mistyped' })).toBe('401')
  })
})
