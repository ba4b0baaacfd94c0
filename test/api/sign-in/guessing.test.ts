// Only a few guesses at a code are checked, however many arrive concurrently. Responses do not reveal which email
// addresses are known.
import { expect, test } from '@jest/globals'
import { mails } from '../../../db/partners/mails'
import { codes } from '../../../db/sign-in/codes'
import { codesPerAddressAndHour, signUpsPerAddressAndHour } from '../../../domain/sign-in'
import { type Answer, startApi, testOrigin } from '../../support/api/client'
import { aPartner } from '../../support/api/fixtures'
import { aCode, aMember, anEmail, codesOf, requestCode, signIn, useMailedApi } from '../../support/api/people'
import { until } from '../../support/until'
import { statementsDuring } from './statements'

const { api, inbox } = useMailedApi()

test('five of 1000 concurrent guesses are checked, and then the right code is refused', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const code = await aCode(api, inbox, email)
  const wrong = Array.from({ length: 1_000 }, (_, n) => String((Number(code) + 1 + n) % 1_000_000).padStart(6, '0'))

  // Sends 200 at a time, because the operating system limits the number of pending connections.
  const answers = await inLanes(200, wrong, (guess) => signIn(api, email, guess))

  const [row] = await api.db.dataSource.getRepository(codes).findBy({ subject: email })
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.error?.code}`))).toEqual(
    new Set(['401 invalid_code']),
  )
  expect(row).toMatchObject({ tries: 5, usedAt: null })
  expect((await signIn(api, email, code)).status).toBe(401)
})

test('a known and an unknown email get identical responses', async () => {
  const known = (await aMember(api, await aPartner(api))).email
  const unknown = anEmail()

  const asked = [await requestCode(api, known), await requestCode(api, unknown)]
  const tried = [await signIn(api, known, '000000'), await signIn(api, unknown, '000000')]

  expect(asked.map(({ status }) => status)).toEqual([202, 202])
  expect(shapeOf(asked[0], known)).toEqual(shapeOf(asked[1], unknown))
  expect(shapeOf(tried[0], known)).toEqual(shapeOf(tried[1], unknown))
})

test('a known and an unknown email cause the same statements, and no request waits for an email', async () => {
  const known = (await aMember(api, await aPartner(api))).email
  const unknown = anEmail()

  const asked = [await statementsOf(() => requestCode(api, known)), await statementsOf(() => requestCode(api, unknown))]
  const tried = [
    await statementsOf(() => signIn(api, known, '000000')),
    await statementsOf(() => signIn(api, unknown, '000000')),
  ]

  expect(asked[0]).toEqual([
    expect.stringContaining('pg_advisory_xact_lock'),
    expect.stringContaining('count(*)'),
    expect.stringContaining('INSERT INTO "codes"'),
    expect.stringContaining('INSERT INTO "mails"'),
  ])
  expect(asked[1]).toEqual(asked[0])
  expect(tried[0]).toEqual([expect.stringContaining('FROM codes'), expect.stringContaining('UPDATE codes')])
  expect(tried[1]).toEqual(tried[0])
})

test('an unknown address gets no email, and the queued email is erased', async () => {
  const unknown = anEmail()
  await requestCode(api, unknown)

  const waiting = () =>
    api.db.dataSource.getRepository(mails).createQueryBuilder('m').where('m.sealed IS NOT NULL').getCount()
  await until('no email is queued', async () => (await waiting()) === 0)

  expect(await codesOf(inbox, unknown)).toEqual([])
})

test('neither a code nor the text of an email is readable in the database', async () => {
  const { email } = await aMember(api, await aPartner(api))
  const other = await startApi({ database: api.databaseUrl })
  // This API has no mail server, so the email remains in the database.
  await requestCode(other, email)
  await other.close()

  const rows = await api.db.dataSource.query(
    `SELECT m::text AS line FROM mails m UNION ALL SELECT c::text FROM codes c`,
  )

  const hex = Buffer.from('is your sign-in code').toString('hex')
  expect(rows.length).toBeGreaterThan(0)
  for (const { line } of rows) expect(line).not.toMatch(new RegExp(`is your sign-in code|${hex}`))
})

test('one IP address can request a limited number of codes per hour, and other IP addresses are not affected', async () => {
  const limited = await startApi({ database: api.databaseUrl, rateLimit: 'on', trustedProxies: 1 })
  const ask = (address: string) =>
    limited.post(
      '/v1/auth/codes',
      { email: anEmail() },
      {
        headers: { Origin: testOrigin, 'X-Forwarded-For': `203.0.113.${Math.floor(Math.random() * 250)}, ${address}` },
      },
    )

  const answers = await Promise.all(Array.from({ length: codesPerAddressAndHour + 5 }, () => ask('198.51.100.7')))
  const elsewhere = await ask('198.51.100.8')
  await limited.close()

  expect(answers.filter(({ status }) => status === 202)).toHaveLength(codesPerAddressAndHour)
  expect(answers.find(({ status }) => status === 429)?.headers.get('Retry-After')).toBe('60')
  expect(elsewhere.status).toBe(202)
})

test('one IP address can start ten sign-ups per hour, and other IP addresses are not affected', async () => {
  const limited = await startApi({ database: api.databaseUrl, rateLimit: 'on', trustedProxies: 1 })
  const signUp = (address: string) =>
    limited.post(
      '/v1/auth/signups',
      { business_name: 'Many Ltd', email: anEmail() },
      { headers: { Origin: testOrigin, 'X-Forwarded-For': address } },
    )

  const answers = await Promise.all(Array.from({ length: 60 }, () => signUp('198.51.100.9')))
  const elsewhere = await signUp('198.51.100.10')
  await limited.close()

  expect(answers.filter(({ status }) => status === 202)).toHaveLength(signUpsPerAddressAndHour)
  expect(answers.find(({ status }) => status === 429)?.headers.get('Retry-After')).toBe('360')
  expect(elsewhere.status).toBe(202)
})

async function inLanes<Item, Result>(
  lanes: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const left = [...items]
  const results: Result[] = []
  const lane = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) results.push(await work(item))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}

function shapeOf(answer: Answer | undefined, email: string): unknown {
  const headers = [...(answer?.headers ?? [])].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return { status: answer?.status, headers, body: answer?.bytes.toString('utf8').replaceAll(email, '<email>').length }
}

/** The statements that a request runs before its response, excluding those of the mail sender. */
async function statementsOf(call: () => Promise<Answer>): Promise<string[]> {
  const names = await statementsDuring(api.db, call)
  return names.filter((text) => !/^UPDATE mails|FROM members m/.test(text.trim()))
}
