// An attacker who knows an email address requests codes and guesses them in other browsers. The owner can still
// sign in, and guesses remain limited (docs/decisions/sign-in/codes-bound-to-a-browser.md).
import { expect, test } from '@jest/globals'
import { codes } from '../../../db/sign-in/codes'
import {
  codesPerEmailAddressAndHour,
  codesPerEmailAndHour,
  codeTries,
  forgivingCodesPerEmailAndHour,
} from '../../../domain/sign-in'
import { type Answer, testOrigin } from '../../support/api/client'
import { aClock, aPartner } from '../../support/api/fixtures'
import { aMember, codesOf, useMailedApi, wrongCode } from '../../support/api/people'
import { until } from '../../support/until'

const clock = aClock('2026-11-16T12:00:00Z')
const { api, inbox } = useMailedApi({ clock, rateLimit: 'on', trustedProxies: 1 })

test('an attacker’s requests and wrong guesses do not stop a member from signing in with a new browser', async () => {
  const { email } = await aMember(api, await aPartner(api))
  for (let round = 0; round < 3; round++) await attack(email)

  const owner = aBrowser()
  const code = await mailedCode(owner, email)
  await attack(email)
  const signedIn = await enter(owner, email, code)

  expect(signedIn.status).toBe(201)
})

test('a code works only in the browser that requested it, and guesses elsewhere do not count as its attempts', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const owner = aBrowser()
  const code = await mailedCode(owner, email)
  const stranger = aBrowser()
  await ask(stranger, email)

  const elsewhere = [await enter(stranger, email, code), await enter(aBrowser(), email, code)]
  await Promise.all(Array.from({ length: 20 }, () => enter(stranger, email, wrongCode(code))))
  const signedIn = await enter(owner, email, code)

  expect(elsewhere.map(({ status, body }) => [status, body.error?.code])).toEqual([
    [401, 'invalid_code'],
    [401, 'invalid_code'],
  ])
  expect(signedIn.status).toBe(201)
})

test('one IP address cannot use up all codes for an email address', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const stranger = aBrowser()

  const asked = await Promise.all(
    Array.from({ length: 50 }, () => ask({ address: stranger.address, cookie: '' }, email)),
  )
  const owner = aBrowser()
  const signedIn = await enter(owner, email, await mailedCode(owner, email))

  expect(asked.filter(({ status }) => status === 202)).toHaveLength(codesPerEmailAddressAndHour)
  expect(signedIn.status).toBe(201)
})

test('above the limit for an email address, a request for a code is 429, and the previous code still works', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const owner = aBrowser()
  const code = await mailedCode(owner, email)

  const attackers = await Promise.all(Array.from({ length: codesPerEmailAndHour + 10 }, () => ask(aBrowser(), email)))
  const refused = await ask(owner, email)
  const signedIn = await enter(owner, email, code)

  expect(attackers.filter(({ status }) => status === 202)).toHaveLength(codesPerEmailAndHour - 1)
  expect([refused.status, refused.headers.get('Retry-After'), refused.headers.get('Set-Cookie')]).toEqual([
    429,
    '3600',
    null,
  ])
  expect(refused.body.error?.message).toContain('A code that this browser has requested still works.')
  expect(signedIn.status).toBe(201)
})

test('the codes sent to an email address within an hour allow 56 guesses in total', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const guessers = Array.from({ length: codesPerEmailAndHour + 5 }, () => aBrowser())
  await Promise.all(guessers.map((guesser) => ask(guesser, email)))
  const before = await triesAt(email)

  for (const guesser of guessers) {
    await Promise.all(Array.from({ length: codeTries + 1 }, () => enter(guesser, email, '000000')))
  }

  expect((await triesAt(email)) - before).toBe(56)
})

test('with many open codes, a new code allows one attempt, and a wrong guess voids it', async () => {
  const { email } = await aMember(api, await aPartner(api))
  for (let asked = 0; asked < forgivingCodesPerEmailAndHour; asked++) await ask(aBrowser(), email)
  const [careful, careless] = [aBrowser(), aBrowser()]
  const right = await mailedCode(careful, email)
  pass(1_000)
  const mistyped = await mailedCode(careless, email)

  const signedIn = await enter(careful, email, right)
  const wrong = await enter(careless, email, wrongCode(mistyped))
  const locked = await enter(careless, email, mistyped)

  expect([signedIn.status, wrong.status, locked.status]).toEqual([201, 401, 401])
  // A locked code is not reported as wrong.
  expect(locked.body.error?.message).not.toBe(wrong.body.error?.message)
})

test('a new code voids the previous code in the same browser, but not in other browsers', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const [one, other] = [aBrowser(), aBrowser()]
  const [first, ofOther] = [await mailedCode(one, email), await mailedCode(other, email)]
  pass(1_000)
  const second = await mailedCode(one, email)

  const withFirst = await enter(one, email, first)
  const rest = [await enter(one, email, second), await enter(other, email, ofOther)]

  expect(withFirst.status).toBe(first === second ? 201 : 401)
  expect(rest.map(({ status }) => status)).toEqual([first === second ? 401 : 201, 201])
})

test('the cookie lasts as long as the code, scripts cannot read it, and the database stores only its hash', async () => {
  const { email } = await aMember(api, await aPartner(api))

  const asked = await ask({ address: '198.51.99.1', cookie: '' }, email)
  const [set = ''] = asked.headers.getSetCookie()
  const token = /=([^;]*)/.exec(set)?.[1] ?? ''
  const rows = await api.db.dataSource.query(`SELECT c::text AS line FROM codes c`)

  expect(set).toMatch(/^__Host-browser=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=600; Secure$/)
  const hex = Buffer.from(token).toString('hex')
  for (const { line } of rows) expect(line).not.toMatch(new RegExp(`${token}|${hex}`))
})

test.each([
  ['unbound', null],
  ['bound to known browsers', Buffer.from('known browsers')],
])('a code from an older release (%s) is refused, and a new code works', async (_which, boundTo) => {
  const { email } = await aMember(api, await aPartner(api))
  const old = { ...aBrowser(), cookie: `__Host-browser=1802000000.${'s'.repeat(43)}` }
  const code = await mailedCode(old, email)
  await api.db.dataSource.query('UPDATE codes SET bound_to = $2 WHERE subject = $1', [email, boundTo])

  const refused = await enter(old, email, code)
  pass(1_000)
  const asked = await ask(old, email)
  const [cookie = ''] = asked.headers.getSetCookie()
  const current = { ...old, cookie: cookie.split(';')[0] ?? '' }
  const fresh = await until('the new code has arrived', async () => {
    const all = await codesOf(inbox, email)
    return all.length > 1 ? (all[0] ?? null) : null
  })
  const signedIn = await enter(current, email, fresh)

  expect([refused.status, refused.body.error?.code]).toEqual([401, 'invalid_code'])
  expect(signedIn.status).toBe(201)
})

function pass(ms: number): void {
  clock.set(new Date(clock.now().getTime() + ms).toISOString())
}

interface Browser {
  readonly address: string
  readonly cookie: string
}

let browsers = 0

/** A browser with its own address and its own token. */
function aBrowser(): Browser {
  browsers += 1
  const token = String(browsers).padStart(43, 't')
  return { address: `198.51.${Math.floor(browsers / 250)}.${browsers % 250}`, cookie: `__Host-browser=${token}` }
}

function ask(browser: Browser, email: string): Promise<Answer> {
  return api.post('/v1/auth/codes', { email }, { headers: headersOf(browser) })
}

function enter(browser: Browser, email: string, code: string): Promise<Answer> {
  return api.post('/v1/auth/sessions', { email, code }, { headers: headersOf(browser) })
}

function headersOf({ address, cookie }: Browser): Record<string, string> {
  return { Origin: testOrigin, 'X-Forwarded-For': address, Cookie: cookie }
}

async function mailedCode(browser: Browser, email: string): Promise<string> {
  await mailsSettled(email)
  const before = (await codesOf(inbox, email)).length
  expect((await ask(browser, email)).status).toBe(202)
  return until('the code has arrived', async () => {
    const [newest, ...older] = await codesOf(inbox, email)
    return older.length >= before ? (newest ?? null) : null
  })
}

/** Waits until all codes requested so far have arrived, so that the next email belongs to the next request. */
function mailsSettled(email: string): Promise<boolean> {
  return until('all emails have arrived', async () => {
    const asked = await api.db.dataSource.getRepository(codes).countBy({ subject: email })
    return (await codesOf(inbox, email)).length === asked
  })
}

/** One round of the attack: requests a code in a new browser, and uses up its attempts with wrong guesses. */
async function attack(email: string): Promise<void> {
  const stranger = aBrowser()
  await ask(stranger, email)
  for (let guess = 0; guess < codeTries; guess++) await enter(stranger, email, '000000')
}

async function triesAt(email: string): Promise<number> {
  const rows = await api.db.dataSource.getRepository(codes).findBy({ subject: email })
  return rows.reduce((all, { tries }) => all + tries, 0)
}
