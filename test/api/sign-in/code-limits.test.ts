// The number of codes per hour is limited. Sign-in and sign-up codes for one email address are independent.
import { expect, test } from '@jest/globals'
import { codes } from '../../../db/sign-in/codes'
import { codesPerEmailAndHour } from '../../../domain/sign-in'
import { startApi, testOrigin } from '../../support/api/client'
import { aPartner } from '../../support/api/fixtures'
import {
  aCode,
  aMember,
  anEmail,
  inOneBrowser,
  requestCode,
  signIn,
  useMailedApi,
  wrongCode,
} from '../../support/api/people'

const { api, inbox } = useMailedApi()

const askToSignUp = (email: string) => api.post('/v1/auth/signups', { business_name: 'Evil Ltd', email }, inOneBrowser)

test('a sign-up requested by a stranger leaves the sign-in code unchanged', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const code = await aCode(api, inbox, email)

  const asked = await askToSignUp(email)
  const answer = await signIn(api, email, code)

  expect([asked.status, answer.status]).toEqual([202, 201])
})

test('a guess counts only against the code for its purpose, and each code allows five guesses', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const code = await aCode(api, inbox, email)
  await askToSignUp(email)
  const triesOf = async () => {
    const rows = await api.db.dataSource.getRepository(codes).findBy({ subject: email })
    return rows.map(({ purpose, tries }) => `${purpose} ${tries}`).toSorted()
  }
  const guess = (purpose: string) =>
    Promise.all(Array.from({ length: 20 }, () => signIn(api, email, wrongCode(code), { purpose })))

  await guess('sign_up')
  const afterSignUps = await triesOf()
  await guess('sign_in')
  const right = await signIn(api, email, code)

  expect(afterSignUps).toEqual(['sign_in 0', 'sign_up 5'])
  expect(await triesOf()).toEqual(['sign_in 5', 'sign_up 5'])
  expect(right.status).toBe(401)
})

test('an email address gets at most 40 codes an hour, for sign-in and sign-up together, from any number of IP addresses', async () => {
  const limited = await startApi({ database: api.databaseUrl, rateLimit: 'on', trustedProxies: 1 })
  const email = anEmail()
  const ask = (path: string, address: string, body: object) =>
    limited.post(path, body, { headers: { Origin: testOrigin, 'X-Forwarded-For': address } })

  const asked = await Promise.all(
    Array.from({ length: codesPerEmailAndHour }, (_, n) => [
      ask('/v1/auth/codes', `198.51.100.${n}`, { email: email.toUpperCase() }),
      ask('/v1/auth/signups', `198.51.101.${n}`, { business_name: 'Evil Ltd', email }),
    ]).flat(),
  )
  const ofOther = await ask('/v1/auth/codes', '198.51.100.7', { email: anEmail() })
  await limited.close()

  expect(asked.filter(({ status }) => status === 202)).toHaveLength(codesPerEmailAndHour)
  expect(ofOther.status).toBe(202)
})

test('a person who names a partner of which they are not a member is refused like an unknown email', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const other = await aPartner(api)
  const code = await aCode(api, inbox, email)
  const unknownEmail = anEmail()
  await requestCode(api, unknownEmail)

  const foreign = await signIn(api, email, code, { partner: other.slug })
  const unknown = await signIn(api, unknownEmail, '000000', { partner: other.slug })

  expect([foreign.status, foreign.body, foreign.headers.get('Set-Cookie')]).toEqual([401, unknown.body, null])
})

test('on another partner’s page, the right code is not used up, but a wrong code counts as an attempt', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const { slug } = await aPartner(api)
  const code = await aCode(api, inbox, email)

  await signIn(api, email, wrongCode(code), { partner: slug })
  const foreign = [await signIn(api, email, code, { partner: slug }), await signIn(api, email, code, { partner: slug })]
  const [row] = await api.db.dataSource.getRepository(codes).findBy({ subject: email })
  const own = await signIn(api, email, code)

  expect(foreign.map(({ status }) => status)).toEqual([401, 401])
  expect(row).toMatchObject({ tries: 1, usedAt: null })
  expect(own.status).toBe(201)
})
