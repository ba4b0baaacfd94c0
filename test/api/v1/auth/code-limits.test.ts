// Who may ask for codes how often, and what a stranger's request must not do to somebody who signs in (check 31).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { code as codes } from '../../../../db/entities/session'
import { codesPerEmailAndHour, codeTries, signUpCodesPerEmailAndHour } from '../../../../domain/sign-in'
import { anInbox, type TestInbox } from '../../../mail/an-inbox'
import { type Api, startApi, testOrigin } from '../../client'
import { aPartner } from '../../fixtures'
import { aCode, aMember, anEmail, anotherCode, askForCode, fromOurPages, signIn } from './people'

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

test('a guess is a try at the code of its purpose alone, and five are all that either gets', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const code = await aCode(api, inbox, email)
  await askToSignUp(email)
  const triesOf = async () => {
    const rows = await api.db.dataSource.getRepository(codes).findBy({ subject: email })
    return rows.map(({ purpose, tries }) => `${purpose} ${tries}`).toSorted()
  }
  const guess = (purpose: string) =>
    Promise.all(Array.from({ length: 20 }, () => signIn(api, email, anotherCode(code), { purpose })))

  await guess('sign_up')
  const afterSignUps = await triesOf()
  await guess('sign_in')
  const right = await signIn(api, email, code)

  expect(afterSignUps).toEqual(['sign_in 0', 'sign_up 5'])
  expect(await triesOf()).toEqual(['sign_in 5', 'sign_up 5'])
  expect(right.status).toBe(401)
})

test('an hour has 15 guesses of strangers for an email, at its codes to sign in and to sign up together', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const guess = (purpose: string) =>
    Promise.all(Array.from({ length: codeTries }, () => signIn(api, email, '000000', { purpose })))

  for (let asked = 0; asked < signUpCodesPerEmailAndHour; asked++) {
    await askToSignUp(email)
    await guess('sign_up')
  }
  for (let asked = 0; asked < codesPerEmailAndHour; asked++) {
    await askForCode(api, email)
    await guess('sign_in')
  }

  const rows = await api.db.dataSource.getRepository(codes).findBy({ subject: email })
  expect(rows.reduce((sum, { tries }) => sum + tries, 0)).toBe(15)
})

test('guesses at a code to sign in and one to sign up, side by side, are 15 too', async () => {
  const { email } = await aMember(api, await aPartner(api))
  await askForCode(api, email)
  await askToSignUp(email)
  // As if 13 had been guessed at the others of this hour.
  await api.db.dataSource.query(
    `INSERT INTO codes (id, purpose, subject, digest, digest_key_id, tries, created_at, expires_at)
      SELECT gen_random_uuid(), 'sign_in', subject, digest, digest_key_id, tries.n, created_at - interval '20 minutes', created_at
      FROM codes, unnest(ARRAY[5, 5, 3]) AS tries (n) WHERE subject = $1 AND purpose = 'sign_in'`,
    [email],
  )

  await Promise.all(
    ['sign_in', 'sign_up'].flatMap((purpose) => [1, 2, 3].map(() => signIn(api, email, '000000', { purpose }))),
  )

  const rows = await api.db.dataSource.getRepository(codes).findBy({ subject: email })
  expect(rows.reduce((sum, { tries }) => sum + tries, 0)).toBe(15)
})

test('sign-ups that a stranger asks for, however many, take away none of the codes to sign in', async () => {
  const { email } = await aMember(api, await aPartner(api))

  const signUps = await Promise.all(Array.from({ length: 20 }, () => askToSignUp(email)))
  const signIns = await Promise.all(Array.from({ length: 20 }, () => askForCode(api, email)))

  const given = [signUps, signIns].map((answers) => answers.filter(({ status }) => status === 202).length)
  expect(given).toEqual([signUpCodesPerEmailAndHour, codesPerEmailAndHour])
})

test('an email is sent five codes an hour, from however many addresses they are asked for', async () => {
  const limited = await startApi({ database: api.databaseUrl, rateLimit: 'on', trustedProxies: 1 })
  const email = anEmail()
  const ask = (path: string, address: string, body: object) =>
    limited.post(path, body, { headers: { Origin: testOrigin, 'X-Forwarded-For': address } })

  const asked = await Promise.all(
    Array.from({ length: 20 }, (_, n) => ask('/v1/auth/codes', `198.51.100.${n}`, { email: email.toUpperCase() })),
  )
  const ofOther = await ask('/v1/auth/codes', '198.51.100.7', { email: anEmail() })
  await limited.close()

  expect(asked.filter(({ status }) => status === 202)).toHaveLength(codesPerEmailAndHour)
  expect(ofOther.status).toBe(202)
})

test('who names a partner that is not theirs is signed in nowhere, as if unknown', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const other = await aPartner(api)
  const code = await aCode(api, inbox, email)

  const foreign = await signIn(api, email, code, { partner: other.slug })
  const unknown = await signIn(api, anEmail(), code, { partner: other.slug })

  expect([foreign.status, foreign.body, foreign.headers.get('Set-Cookie')]).toEqual([401, unknown.body, null])
})

test('at the page of a partner that is not theirs a right code is not used up, and a wrong one is a try', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const { slug } = await aPartner(api)
  const code = await aCode(api, inbox, email)

  await signIn(api, email, anotherCode(code), { partner: slug })
  const foreign = [await signIn(api, email, code, { partner: slug }), await signIn(api, email, code, { partner: slug })]
  const [row] = await api.db.dataSource.getRepository(codes).findBy({ subject: email })
  const own = await signIn(api, email, code)

  expect(foreign.map(({ status }) => status)).toEqual([401, 401])
  expect(row).toMatchObject({ tries: 1, usedAt: null })
  expect(own.status).toBe(201)
})
