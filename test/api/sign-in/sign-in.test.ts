// Signing in with an emailed code: which requests succeed and which are refused.
import { beforeAll, expect, test } from '@jest/globals'
import type { PartnerRow } from '../../../db/partners/partners'
import { noticeKinds } from '../../../domain/partners/partner'
import { codesPerEmailAndHour } from '../../../domain/sign-in'
import { aClock, aPartner, aSession } from '../../support/api/fixtures'
import {
  aCode,
  aMember,
  anEmail,
  requestCode,
  signIn,
  tokenOf,
  useMailedApi,
  wrongCode,
} from '../../support/api/people'

const clock = aClock('2026-11-16T12:00:00Z')
const { api, inbox } = useMailedApi({ clock, temporalUiUrl: 'http://temporal.test:8233' })
let partner: PartnerRow

beforeAll(async () => {
  partner = await aPartner(api)
})

function pass(ms: number): void {
  clock.set(new Date(clock.now().getTime() + ms).toISOString())
}

test('a member signs in with the code from the email’s subject, and gets their profile', async () => {
  clock.set('2026-11-16T12:00:00Z')
  const { id, email } = await aMember(api, partner)
  const code = await aCode(api, inbox, email)

  const answer = await signIn(api, email, code)
  const again = await api.get('/v1/auth/session', { session: tokenOf(answer) })

  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    object: 'session',
    member: {
      id,
      email,
      name: 'Grace',
      role: 'admin',
      last_login_at: '2026-11-16T12:00:00.000Z',
      created_at: '2026-11-16T12:00:00.000Z',
    },
    partner: {
      id: partner.id,
      slug: partner.slug,
      name: 'Acme Ltd',
      logo_url: null,
      brand_color: null,
      status: 'active',
      billing_email: partner.billingEmail,
      contact_email: partner.contactEmail,
      billing_address: null,
      requested_name: null,
      notifications: Object.fromEntries(noticeKinds.map((kind) => [kind, true])),
      low_balance_usdc: null,
    },
    partners: [{ slug: partner.slug, name: 'Acme Ltd', invited: false }],
    live: true,
    expires_at: '2026-11-23T12:00:00.000Z',
    temporal_ui_url: 'http://temporal.test:8233',
  })
  expect(again.body).toEqual(answer.body)
})

test('only admins get the address of the Temporal Web UI', async () => {
  const session = await aSession(api, partner, 'viewer')

  expect((await api.get('/v1/auth/session', { session })).body['temporal_ui_url']).toBeNull()
})

test('an admin of an unverified partner does not get the address of the Web UI, because anyone can sign up', async () => {
  const session = await aSession(api, await aPartner(api, { verificationStatus: 'in_review' }))

  expect((await api.get('/v1/auth/session', { session })).body['temporal_ui_url']).toBeNull()
})

test('email addresses are not case-sensitive', async () => {
  const { email } = await aMember(api, partner)
  const code = await aCode(api, inbox, email)

  expect((await signIn(api, email.toUpperCase(), code)).status).toBe(201)
})

test('a code works once', async () => {
  const { email } = await aMember(api, partner)
  const code = await aCode(api, inbox, email)

  const answers = [await signIn(api, email, code), await signIn(api, email, code)]

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
    [201, undefined],
    [401, 'invalid_code'],
  ])
})

test('one of many concurrent requests with one code opens a session', async () => {
  const { email } = await aMember(api, partner)
  const code = await aCode(api, inbox, email)

  const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(api, email, code)))

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(19)
})

test('a code is valid for exactly ten minutes', async () => {
  clock.set('2026-11-16T12:00:00Z')
  const [early, late] = [await aMember(api, partner), await aMember(api, partner)]
  const codes = [await aCode(api, inbox, early.email), await aCode(api, inbox, late.email)] as const

  clock.set('2026-11-16T12:09:59.999Z')
  const inTime = await signIn(api, early.email, codes[0])
  clock.set('2026-11-16T12:10:00Z')
  const tooLate = await signIn(api, late.email, codes[1])

  expect([inTime.status, tooLate.status, tooLate.body.error?.code]).toEqual([201, 401, 'invalid_code'])
})

test('after five wrong attempts, even the right code is refused', async () => {
  const { email } = await aMember(api, partner)
  const code = await aCode(api, inbox, email)

  for (let tries = 1; tries <= 5; tries++) expect((await signIn(api, email, wrongCode(code))).status).toBe(401)
  const right = await signIn(api, email, code)

  expect([right.status, right.body.error?.code]).toEqual([401, 'invalid_code'])
})

test('after four wrong attempts, the right code still works', async () => {
  const { email } = await aMember(api, partner)
  const code = await aCode(api, inbox, email)

  for (let tries = 1; tries <= 4; tries++) await signIn(api, email, wrongCode(code))

  expect((await signIn(api, email, code)).status).toBe(201)
})

test('a newer code voids the previous one', async () => {
  const { email } = await aMember(api, partner)
  const first = await aCode(api, inbox, email)
  pass(1_000)
  const second = await aCode(api, inbox, email)

  const withFirst = await signIn(api, email, first)
  const withSecond = await signIn(api, email, second)

  expect([withFirst.status, withSecond.status]).toEqual([first === second ? 201 : 401, 201])
})

test('a code for one email address does not work for another', async () => {
  const [one, other] = [await aMember(api, partner), await aMember(api, partner)]
  const [code] = [await aCode(api, inbox, one.email), await aCode(api, inbox, other.email)]

  expect((await signIn(api, other.email, code)).status).toBe(401)
  expect((await signIn(api, one.email, code)).status).toBe(201)
})

test('a request above the hourly limit is refused for known and unknown email addresses, and allowed after the hour', async () => {
  clock.set('2026-11-16T14:00:00Z')
  const emails = [(await aMember(api, partner)).email, anEmail()]
  for (const email of emails) for (let n = 1; n <= codesPerEmailAndHour; n++) await requestCode(api, email)

  const refused = await Promise.all(emails.map((email) => requestCode(api, email)))
  clock.set('2026-11-16T15:00:00.001Z')
  const later = await Promise.all(emails.map((email) => requestCode(api, email)))

  expect(refused.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual([
    [429, '3600'],
    [429, '3600'],
  ])
  expect(later.map(({ status }) => status)).toEqual([202, 202])
})

test('many concurrent requests get no more codes than the limit', async () => {
  const { email } = await aMember(api, partner)

  const answers = await Promise.all(Array.from({ length: codesPerEmailAndHour + 10 }, () => requestCode(api, email)))

  expect(answers.filter(({ status }) => status === 202)).toHaveLength(codesPerEmailAndHour)
})

test('a member of two partners signs in to the named or the last used one, and can switch', async () => {
  const other = await aPartner(api)
  const { email } = await aMember(api, partner)
  await aMember(api, other, { email, role: 'viewer' })
  const slugOf = (body: object) => ('partner' in body ? Object(body.partner).slug : null)

  const chosen = await signIn(api, email, await aCode(api, inbox, email), { partner: other.slug })
  pass(1_000)
  const last = await signIn(api, email, await aCode(api, inbox, email))
  const session = tokenOf(last)
  const switched = await api.post('/v1/auth/session/partner', { slug: partner.slug }, { session })
  const seen = await api.get('/v1/account', { session })
  const foreign = await api.post('/v1/auth/session/partner', { slug: (await aPartner(api)).slug }, { session })

  expect([slugOf(chosen.body), slugOf(last.body), slugOf(switched.body)]).toEqual([
    other.slug,
    other.slug,
    partner.slug,
  ])
  expect(seen.body['id']).toBe(partner.id)
  expect(switched.body).toMatchObject({ member: { role: 'admin' }, partners: [expect.anything(), expect.anything()] })
  expect([foreign.status, foreign.body.error?.code]).toEqual([404, 'not_found'])
})

test('an invitation does not change the partner that a member signs in to, until they have accepted it', async () => {
  const [known, inviting] = [await aPartner(api), await aPartner(api)]
  const { email } = await aMember(api, inviting)
  await aMember(api, known, { email })
  const slugOf = (body: object) => ('partner' in body ? Object(body.partner).slug : null)
  await signIn(api, email, await aCode(api, inbox, email), { partner: known.slug })

  pass(1_000)
  const before = await signIn(api, email, await aCode(api, inbox, email))
  pass(1_000)
  await api.post('/v1/auth/session/partner', { slug: inviting.slug }, { session: tokenOf(before) })
  pass(1_000)
  const after = await signIn(api, email, await aCode(api, inbox, email))

  expect([slugOf(before.body), slugOf(after.body)]).toEqual([known.slug, inviting.slug])
})

test('the activity list shows a sign-in with the member’s email address', async () => {
  const { email } = await aMember(api, partner)
  const session = tokenOf(await signIn(api, email, await aCode(api, inbox, email)))

  const { body } = await api.get('/v1/activity', { session })

  expect(body.data?.filter(({ by }) => by === email)).toEqual([
    expect.objectContaining({ action: 'login.verify', status: 201, environment: null }),
  ])
})
