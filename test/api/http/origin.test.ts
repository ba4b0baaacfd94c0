// Writes from other sites' pages are refused with 403 forbidden_origin before anything changes, regardless of
// cookies.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { isFromOurPages } from '../../../api/http/callers/origin'
import { apiKey } from '../../../db/partners/api-keys'
import type { PartnerRow } from '../../../db/partners/partners'
import { codes } from '../../../db/sign-in/codes'
import { testOrigin, useApi } from '../../support/api/client'
import { aKey, aPartner, aSession } from '../../support/api/fixtures'
import { anEmail } from '../../support/api/people'

const api = useApi()
let partner: PartnerRow
let session: string

beforeAll(async () => {
  partner = await aPartner(api)
  session = await aSession(api, partner)
})
const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

const foreign: readonly (readonly [string, Record<string, string>])[] = [
  ['a form on another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', 'Content-Type': form }],
  [
    'a script on another site',
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', 'Content-Type': json },
  ],
  ['a browser that sends only Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site', 'Content-Type': json }],
  ['another site on our domain', { Origin: testOrigin, 'Sec-Fetch-Site': 'same-site', 'Content-Type': json }],
  ['a page without an origin', { Origin: 'null', 'Content-Type': json }],
  ['an origin that begins like ours', { Origin: `${testOrigin}.evil.example`, 'Content-Type': json }],
  ['our host on another port', { Origin: `${testOrigin}:8080`, 'Content-Type': json }],
  ['a text/plain request from our own page', { Origin: testOrigin, 'Content-Type': 'text/plain' }],
  ['a form on our own page', { Origin: testOrigin, 'Content-Type': form }],
  ['a client that sends no Origin header', { 'Content-Type': json }],
]

describe.each(foreign)('%s', (_what, headers) => {
  test('creates no key with the cookie of a signed-in admin', async () => {
    const before = await keysOf()
    const cookie = { Cookie: `__Host-session=${session}` }

    const body = JSON.stringify({ environment: 'sandbox' })
    const response = await fetch(`${api.url}/v1/keys`, { method: 'POST', headers: { ...cookie, ...headers }, body })

    expect([response.status, Object(await response.json()).error.code]).toEqual([403, 'forbidden_origin'])
    expect(await keysOf()).toBe(before)
  })

  test('cannot sign in or request a code', async () => {
    const email = anEmail()

    const body = JSON.stringify({ email })
    const asked = await fetch(`${api.url}/v1/auth/codes`, { method: 'POST', headers, body })
    const tried = await fetch(`${api.url}/v1/auth/sessions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email, code: '123456' }),
    })

    expect([asked.status, tried.status, tried.headers.get('Set-Cookie')]).toEqual([403, 403, null])
    expect(await api.db.dataSource.getRepository(codes).countBy({ subject: email })).toBe(0)
  })
})

test('a write without a body is also refused', async () => {
  const headers = { Cookie: `__Host-session=${session}`, Origin: 'https://evil.example' }

  const response = await fetch(`${api.url}/v1/auth/session`, { method: 'DELETE', headers })

  expect(response.status).toBe(403)
  expect((await api.get('/v1/auth/session', { session })).status).toBe(200)
})

test('no response allows other sites to read it or to send JSON', async () => {
  const asked = await fetch(`${api.url}/v1/keys`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
  })
  const read = await fetch(`${api.url}/v1/account`, { headers: { Origin: 'https://evil.example' } })

  for (const { headers } of [asked, read]) {
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  }
})

test('a request with an API key is accepted from any origin, because no browser sends a key automatically', async () => {
  const key = await aKey(api, partner, 'sandbox')

  const answer = await api.post(
    '/v1/quotes',
    { amount_gbp: '10.00' },
    { key, headers: { Origin: 'https://evil.example' } },
  )

  expect(answer.status).toBe(200)
})

describe('our own pages', () => {
  const publicUrl = 'https://payouts.example.com'

  test.each([
    [{ origin: publicUrl, 'sec-fetch-site': 'same-origin', 'content-type': json }],
    [{ origin: publicUrl }],
    [{ 'sec-fetch-site': 'same-origin', 'content-type': 'application/json; charset=utf-8' }],
    // The dashboard can have more than one host name.
    [{ origin: 'https://pay.example.com', host: 'pay.example.com', 'sec-fetch-site': 'same-origin' }],
  ])('are accepted with %j', (headers) => {
    expect(isFromOurPages(headers, publicUrl)).toBe(true)
  })

  test('are accepted over http at another address, such as 127.0.0.1, when the configured address is http', () => {
    const headers = { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }

    expect(isFromOurPages(headers, 'http://localhost:3000')).toBe(true)
  })

  test.each([
    [{ origin: 'http://payouts.example.com', host: 'payouts.example.com' }],
    [{ origin: 'http://payouts.example.com', host: 'payouts.example.com', 'sec-fetch-site': 'same-origin' }],
    [{ origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }],
  ])('must use https if the configured address does, so %j is refused', (headers) => {
    expect(isFromOurPages(headers, publicUrl)).toBe(false)
  })
})

function keysOf(): Promise<number> {
  return api.db.dataSource.getRepository(apiKey).countBy({ partnerId: partner.id })
}
