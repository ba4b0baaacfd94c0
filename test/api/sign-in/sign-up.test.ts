// Signing up: a business name and a work email create a partner with a sandbox, once, when the emailed code
// is used.
import { expect, test } from '@jest/globals'
import { slugOf } from '../../../activities/partners/sign-up'
import { partner as partners } from '../../../db/partners/partners'
import { codes } from '../../../db/sign-in/codes'
import { systemClock } from '../../../runtime/clock'
import { type Api, startApi, testSecretKeys } from '../../support/api/client'
import { aPartner } from '../../support/api/fixtures'
import {
  aCode,
  aMember,
  anEmail,
  codesOf,
  fromOurPages,
  inOneBrowser,
  signIn,
  tokenOf,
  useMailedApi,
  wrongCode,
} from '../../support/api/people'
import { withoutRandom } from '../../support/personal'
import { useWorker } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

const worker = useWorker({ clock: systemClock, secretKeys: testSecretKeys })
const { api, inbox } = useMailedApi(() => ({
  database: worker.databaseUrl,
  taskQueuePrefix: worker.queuePrefix,
  answerTimeoutMs: 20_000,
}))

async function signUp(email: string, business_name: string): Promise<string> {
  const before = (await codesOf(inbox, email)).length
  const { status } = await api.post('/v1/auth/signups', { business_name, email }, inOneBrowser)
  expect(status).toBe(202)
  return until('the code has arrived', async () => {
    const all = await codesOf(inbox, email)
    return all.length > before ? all[0] : null
  })
}

const open = (at: Api, email: string, code: string) => signIn(at, email, code, { purpose: 'sign_up' })

test('the code creates a partner with a funded sandbox and a first admin', async () => {
  const email = anEmail()
  const code = await signUp(email, 'Café Über Ltd.')

  const answer = await open(api, email, code)
  const session = tokenOf(answer)
  const balance = await api.get('/v1/balance', { session })
  const key = await api.post('/v1/keys', { environment: 'sandbox', label: 'first' }, { session })
  const { body: activity } = await api.get('/v1/activity', { session })

  expect(answer.status).toBe(201)
  expect(answer.body).toMatchObject({
    member: { email, role: 'admin' },
    partner: { name: 'Café Über Ltd.', slug: expect.stringMatching(/^cafe-uber-ltd/), contact_email: email },
    live: false,
  })
  expect([balance.body['usdc'], key.status]).toEqual(['10000.00', 201])
  expect(activity.data?.map(({ action, by }) => [action, by])).toEqual([
    ['key.create', email],
    ['login.verify', email],
    ['partner.create', email],
  ])
})

test('a wrong code creates no partner, and the right code creates one, however often it is used', async () => {
  const email = anEmail()
  const code = await signUp(email, 'Once Ltd')

  const wrong = await open(api, email, wrongCode(code))
  const before = await countOf('Once Ltd')
  const answers = await Promise.all(Array.from({ length: 5 }, () => open(api, email, code)))

  expect([wrong.status, before]).toEqual([401, 0])
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(4)
  expect(await countOf('Once Ltd')).toBe(1)
})

test('the code of a sign-up that a stranger requested cannot sign in, and creates no partner', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const code = await signUp(email, 'Stranger Ltd')

  const answers = [await signIn(api, email, code), await signIn(api, email, code, { purpose: 'sign_in' })]
  const named = await signIn(api, email, code, { purpose: 'sign_up', partner: 'acme' })

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
    [401, 'invalid_code'],
    [401, 'invalid_code'],
  ])
  expect([named.status, named.body.error?.code]).toEqual([422, 'invalid_request'])
  expect(await countOf('Stranger Ltd')).toBe(0)
})

test('a sign-in code cannot create a partner', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const code = await aCode(api, inbox, email)

  const signedUp = await open(api, email, code)

  expect([signedUp.status, (await signIn(api, email, code)).status]).toEqual([401, 201])
})

test('two businesses with the same name get different slugs', async () => {
  const emails = [anEmail(), anEmail()]
  const sessions = []
  for (const email of emails) sessions.push(await open(api, email, await signUp(email, 'Twin Ltd')))

  const slugs = sessions.map(({ body }) => Object(body['partner']).slug)

  expect(slugs[0]).toBe('twin-ltd')
  expect(slugs[1]).toMatch(/^twin-ltd-[0-9a-f]{6}$/)
})

test('a known email address gets the same response and a code, and can create a second partner', async () => {
  const { email } = await aMember(api, await aPartner(api))

  const answer = await open(api, email, await signUp(email, 'Second Ltd'))

  expect(Object(answer.body['partner']).name).toBe('Second Ltd')
  expect(answer.body['partners']).toHaveLength(2)
})

test('the email contains no text that the requester typed', async () => {
  const email = anEmail()
  await signUp(email, 'You have won, call evil now')

  const mail = (await inbox.messages()).find(({ envelope }) => envelope.to.includes(email))

  expect(`${mail?.subject} ${mail?.text} ${mail?.html}`).not.toMatch(/evil|won/)
})

test('if Temporal cannot be reached, sign-up is 503, and the code can be tried again', async () => {
  const email = anEmail()
  const code = await signUp(email, 'Patient Ltd')
  const nowhere = { temporalAddress: '127.0.0.1:1', taskQueuePrefix: worker.queuePrefix }
  const alone = await startApi({ database: worker.databaseUrl, answerTimeoutMs: 300, ...nowhere })

  const early = await open(alone, email, code)
  await alone.close()
  const later = await open(api, email, code)

  expect([early.status, early.body.error?.code, later.status]).toEqual([503, 'service_unavailable', 201])
  expect(await countOf('Patient Ltd')).toBe(1)
})

test('the sign-up data is sealed until it is used and then erased, and never appears in a workflow’s history', async () => {
  const email = anEmail()
  const code = await signUp(email, 'Canary Ltd')
  const before = await api.db.dataSource.getRepository(codes).findOneByOrFail({ subject: email })
  await open(api, email, code)
  const after = await api.db.dataSource.getRepository(codes).findOneByOrFail({ subject: email })

  const history = await worker.client.workflow.getHandle(`sign-up/${before.id}`).fetchHistory()

  expect(before.sealed?.toString('latin1')).not.toContain('Canary')
  expect([after.sealed, after.usedFor]).toEqual([null, expect.any(String)])
  const historyText = Buffer.from(JSON.stringify(history)).toString('latin1')
  const decoded = historyText.replaceAll(/"data":"([A-Za-z0-9+/=]+)"/g, (_, data) =>
    Buffer.from(data, 'base64').toString('utf8'),
  )
  expect(withoutRandom(decoded)).not.toMatch(new RegExp(`Canary|${email}|${code}`))
})

test.each(['   ', '\u200b\u2060', 'Acme\r\nLtd', 'Visit https://evil.test/login now', 'Log in at evil.test'])(
  '%j is not accepted as a business name',
  async (business_name) => {
    const { status, body } = await api.post('/v1/auth/signups', { business_name, email: anEmail() }, fromOurPages)

    expect([status, body.error?.details]).toEqual([
      422,
      { errors: ['business_name (1 to 120 visible characters and spaces, no web address)'] },
    ])
  },
)

test('sign-up can be switched off, and its route then does not exist', async () => {
  const closed = await startApi({ database: worker.databaseUrl, signUp: 'off' })

  const { status, body } = await closed.post(
    '/v1/auth/signups',
    { business_name: 'Acme', email: anEmail() },
    fromOurPages,
  )
  await closed.close()

  expect([status, body.error?.code]).toEqual([404, 'route_not_found'])
})

test.each([
  ['Acme Ltd', 'acme-ltd'],
  ['  --Łódź & Sons--  ', 'odz-sons'],
  ['東京', 'business'],
  ['x', 'business'],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
])('%s gets the slug %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})

function countOf(name: string): Promise<number> {
  return api.db.dataSource.getRepository(partners).countBy({ name })
}
