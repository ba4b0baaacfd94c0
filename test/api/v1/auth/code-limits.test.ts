// Who may ask for codes how often, and what a stranger's request must not do to somebody who signs in (check 31).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { code as codes } from '../../../../db/entities/session'
import { codesPerEmailAndHour } from '../../../../domain/sign-in'
import { anInbox, type TestInbox } from '../../../mail/an-inbox'
import { type Api, startApi, testOrigin } from '../../client'
import { aPartner } from '../../fixtures'
import { aCode, aMember, anEmail, anotherCode, fromOurPages, signIn } from './people'

let inbox: TestInbox
let api: Api

beforeAll(async () => {
  inbox = await anInbox()
  api = await startApi({ smtpUrl: inbox.smtpUrl })
})
afterAll(async () => {
  await api.close()
  await inbox.remove()
})

const askToSignUp = (email: string) => api.post('/v1/auth/signups', { business_name: 'Evil Ltd', email }, fromOurPages)

test('a sign-up that a stranger asks for leaves the sign-in code as it was', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const code = await aCode(api, inbox, email)

  const asked = await askToSignUp(email)
  const answer = await signIn(api, email, code)

  expect([asked.status, answer.status]).toEqual([202, 201])
})

test('a guess is a try at both codes, and five are all that either gets', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const code = await aCode(api, inbox, email)
  await askToSignUp(email)

  await Promise.all(Array.from({ length: 20 }, () => signIn(api, email, anotherCode(code))))
  const right = await signIn(api, email, code)

  const rows = await api.db.dataSource.getRepository(codes).findBy({ subject: email })
  expect(rows.map(({ purpose, tries }) => `${purpose} ${tries}`).toSorted()).toEqual(['sign_in 5', 'sign_up 5'])
  expect(right.status).toBe(401)
})

test('an email is sent five codes an hour, from however many addresses they are asked for', async () => {
  const limited = await startApi({ database: api.databaseUrl, rateLimit: 'on', trustedProxies: 1 })
  const email = anEmail()
  const ask = (path: string, address: string, body: object) =>
    limited.post(path, body, { headers: { Origin: testOrigin, 'X-Forwarded-For': address } })

  const asked = await Promise.all(
    Array.from({ length: 20 }, (_, n) => ask('/v1/auth/codes', `198.51.100.${n}`, { email: email.toUpperCase() })),
  )
  const signUp = await ask('/v1/auth/signups', '198.51.100.7', { business_name: 'Evil Ltd', email })
  const ofOther = await ask('/v1/auth/codes', '198.51.100.7', { email: anEmail() })
  await limited.close()

  expect(asked.filter(({ status }) => status === 202)).toHaveLength(codesPerEmailAndHour)
  expect([signUp.status, ofOther.status]).toEqual([429, 202])
})

test('who names a partner that is not theirs is signed in nowhere, as if unknown', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const other = await aPartner(api)
  const code = await aCode(api, inbox, email)

  const foreign = await signIn(api, email, code, { partner: other.slug })
  const unknown = await signIn(api, anEmail(), code, { partner: other.slug })

  expect([foreign.status, foreign.body, foreign.headers.get('Set-Cookie')]).toEqual([401, unknown.body, null])
})
