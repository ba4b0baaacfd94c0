// A stranger who knows an email asks for its codes and guesses at them, from many addresses: its owner still gets in where they
// did before, and who has only the cookie of that browser gets nothing by it (docs/decisions/known-browsers.md).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { browserCookie } from '../../../../api/browser-cookie'
import { code as codes } from '../../../../db/entities/session'
import { openKeyring } from '../../../../db/keyring'
import { browserKnownForMs, codeLastsMs, codesPerEmailAndHour, codeTries } from '../../../../domain/sign-in'
import { until } from '../../../local/until'
import { anInbox, type TestInbox } from '../../../mail/an-inbox'
import { type Answer, type Api, startApi, testOrigin, testSecretKeys } from '../../client'
import { aClock, aPartner } from '../../fixtures'
import { aMember, anEmail, anotherCode, codesOf } from './people'
import { statementsDuring } from './statements'

const clock = aClock('2026-11-16T12:00:00Z')
let inbox: TestInbox
let api: Api

beforeAll(async () => {
  inbox = await anInbox()
  api = await startApi({ clock, smtpUrl: inbox.smtpUrl, rateLimit: 'on', trustedProxies: 1 })
})
afterAll(async () => {
  await api.close()
  await inbox.remove()
})

test('fifty addresses use up codes and tries of an email, and its owner signs in where they did before', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const known = await signedInBrowser(email)

  await attack(email)
  const elsewhere = await ask(aBrowser(), email)
  const code = await mailedCode(known, email)
  await attack(email)
  const signedIn = await enter(known, email, code)

  expect([elsewhere.status, signedIn.status]).toEqual([429, 201])
  expect(await triesAt(email)).toEqual({ strangers: 5, knownBrowsers: 0 })
})

test('a code that a stranger asks for leaves good the one that its owner has just received', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const known = await signedInBrowser(email)
  const code = await mailedCode(known, email)

  pass(1_000)
  const strangers = await ask(aBrowser(), email)
  const signedIn = await enter(known, email, code)

  expect([strangers.status, signedIn.status]).toEqual([202, 201])
})

test('a code that a known browser asked for works in no other, where no guess is a try at it either', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const known = await signedInBrowser(email)
  const code = await mailedCode(known, email)

  const stranger = await enter(aBrowser(), email, code)
  await Promise.all(Array.from({ length: 20 }, () => enter(aBrowser(), email, anotherCode(code))))

  expect([stranger.status, await triesAt(email)]).toEqual([401, { strangers: 0, knownBrowsers: 0 }])
})

test('the subject of a mail tells the code of a known browser from one that anybody may have asked for', async () => {
  const { email } = await aMember(api, await aPartner(api))
  await mailedCode(await signedInBrowser(email), email)

  const mails = (await inbox.messages()).filter(({ envelope }) => envelope.to.includes(email))

  const subjects = mails.map(({ subject }) => subject.replace(/^\d{6}/, '<code>'))
  expect(subjects).toEqual(['<code> is your sign-in code', '<code> is your sign-in code for a new browser'])
})

test('an hour has 25 guesses for an email: 15 for strangers, and 10 more for who has a cookie, stolen or not', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const { cookie } = await signedInBrowser(email)
  pass(3_600_001)

  const answers: Answer[] = []
  for (let asked = 0; asked < codesPerEmailAndHour; asked++) {
    for (const guesser of [aBrowser(cookie), aBrowser()]) {
      const code = await mailedCode(guesser, email)
      const guesses = Array.from({ length: codeTries + 1 }, () => enter(guesser, email, anotherCode(code)))
      answers.push(...(await Promise.all(guesses)))
    }
    pass(1_000)
  }

  expect(await triesAt(email)).toEqual({ strangers: 15, knownBrowsers: 10 })
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
})

test('an hour in the middle of two has no more guesses: late ones at old codes count as long as those at new ones', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const { cookie } = await signedInBrowser(email)
  pass(3_600_001)
  const guessers = [aBrowser(cookie), aBrowser()]
  const guess = async () => {
    for (const guesser of guessers) {
      await Promise.all(Array.from({ length: codeTries }, () => enter(guesser, email, '000000')))
    }
  }

  for (const guesser of guessers) await ask(guesser, email)
  pass(codeLastsMs - 1_000)
  await guess()
  for (let asked = 0; asked < 2; asked++) {
    for (const guesser of guessers) await ask(guesser, email)
    await guess()
    pass(1_000)
  }
  // The first codes are an hour old now, and the guesses at them are not.
  pass(3_600_000 - codeLastsMs)
  for (const guesser of guessers) await ask(guesser, email)
  await guess()

  expect(await triesAt(email)).toEqual({ strangers: 15, knownBrowsers: 10 })
})

test('a mailbox is sent five codes an hour for all browsers that know it, however many copies of a cookie there are', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const known = [await signedInBrowser(email), await signedInBrowser(email)]
  pass(3_600_001)

  const asked = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(aBrowser(known[n % 2]?.cookie), email)))

  expect(asked.filter(({ status }) => status === 202)).toHaveLength(codesPerEmailAndHour)
})

test('a cookie gives nothing for another email, nor when it was changed, made up or signed with another key', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const { cookie } = await signedInBrowser(email)
  const foreign = await signedInBrowser((await aMember(api, await aPartner(api))).email)
  const [, lasts = '', signature = ''] = /=(\d+)\.(.+)$/.exec(cookie) ?? []
  const forged = browserCookie(email, { ...api.deps, keyring: openKeyring([otherKey]) })
  await attack(email)

  const made = [
    foreign.cookie,
    `__Host-browser=${Number(lasts) + 1}.${signature}`,
    `__Host-browser=${lasts}.${signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
    `__Host-browser=${lasts}.${signature.slice(1)}`,
    `__Host-browser=${lasts}.`,
    '__Host-browser=',
    `browser=${lasts}.${signature}`,
    forged.split(';')[0],
  ]
  const asked = await Promise.all(made.map((each) => ask(aBrowser(each), email)))
  const own = await ask(aBrowser(`theme=dark; ${cookie}`), email)

  expect(asked.map(({ status }) => status)).toEqual(made.map(() => 429))
  expect(own.status).toBe(202)
})

test('a browser is known for 90 days', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const known = await signedInBrowser(email)

  pass(browserKnownForMs - 2_000)
  await attack(email)
  const inTime = await ask(known, email)
  pass(2_000)
  const tooLate = await ask(known, email)

  expect([inTime.status, tooLate.status]).toEqual([202, 429])
})

test('a browser stays known when a new secret key is put in front', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const known = await signedInBrowser(email)
  await attack(email)
  const keyring = openKeyring([otherKey, ...testSecretKeys])

  const rotated = await startApi({ database: api.databaseUrl, clock, keyring })
  const asked = await ask(known, email, rotated)
  await rotated.close()

  expect(asked.status).toBe(202)
})

test('with a cookie or without, an email costs the same statements whether anybody has it or not', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const removed = anEmail()
  const cookieOf = (whose: string) => browserCookie(whose, api.deps).split(';')[0]
  const statementsOf = (whose: string) => statementsDuring(api.db, () => ask(aBrowser(cookieOf(whose)), whose))

  const [known, unknown] = [await statementsOf(email), await statementsOf(removed)]

  const ofRequest = ['take-hourly', 'code-lock-subject', 'code-count-recent', 'code-insert', 'mail-insert']
  expect([known.slice(0, ofRequest.length), unknown.slice(0, ofRequest.length)]).toEqual([ofRequest, ofRequest])
})

const otherKey = { id: 'other', bytes: Buffer.alloc(32, 7) }

function pass(ms: number): void {
  clock.set(new Date(clock.now().getTime() + ms).toISOString())
}

interface Browser {
  readonly address: string
  readonly cookie: string
}

let browsers = 0

/** Each at an address of its own. */
function aBrowser(cookie = ''): Browser {
  browsers += 1
  return { address: `198.51.${Math.floor(browsers / 250)}.${browsers % 250}`, cookie }
}

function ask(browser: Browser, email: string, at = api): Promise<Answer> {
  return at.post('/v1/auth/codes', { email }, { headers: headersOf(browser) })
}

function enter(browser: Browser, email: string, code: string): Promise<Answer> {
  return api.post('/v1/auth/sessions', { email, code }, { headers: headersOf(browser) })
}

function headersOf({ address, cookie }: Browser): Record<string, string> {
  return { Origin: testOrigin, 'X-Forwarded-For': address, Cookie: cookie }
}

async function mailedCode(browser: Browser, email: string): Promise<string> {
  const before = (await codesOf(inbox, email)).length
  expect((await ask(browser, email)).status).toBe(202)
  return until('the code has come', async () => {
    const [newest, ...older] = await codesOf(inbox, email)
    return older.length >= before ? (newest ?? null) : null
  })
}

/** As a sign-in leaves it, without the session, which is over by now. */
async function signedInBrowser(email: string): Promise<Browser> {
  const browser = aBrowser()
  const answer = await enter(browser, email, await mailedCode(browser, email))
  expect(answer.status).toBe(201)
  pass(1_000)
  const cookies = answer.headers.getSetCookie().map((each) => each.split(';')[0] ?? '')
  return { ...browser, cookie: cookies.find((each) => each.startsWith('__Host-browser=')) ?? '' }
}

async function attack(email: string): Promise<void> {
  const strangers = Array.from({ length: 50 }, () => aBrowser())
  await Promise.all(strangers.map((stranger) => ask(stranger, email)))
  await Promise.all(strangers.map((stranger) => enter(stranger, email, '000000')))
}

async function triesAt(email: string): Promise<{ strangers: number; knownBrowsers: number }> {
  const rows = await api.db.dataSource.getRepository(codes).findBy({ subject: email })
  const sum = (some: typeof rows) => some.reduce((all, { tries }) => all + tries, 0)
  return {
    strangers: sum(rows.filter(({ boundTo }) => boundTo === null)),
    knownBrowsers: sum(rows.filter(({ boundTo }) => boundTo !== null)),
  }
}
