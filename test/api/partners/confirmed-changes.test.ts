// Live keys, new admins and changed addresses need a confirm code, so that a stolen session alone cannot move
// money.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { PartnerRow } from '../../../db/partners/partners'
import { type Answer, type Method, useApi } from '../../support/api/client'
import { aConfirmCode, confirmMails } from '../../support/api/confirmed'
import { aKey, aPartner, aSession, changePartner, revokeKey } from '../../support/api/fixtures'
import { aRequest } from '../../support/api/payout-world'
import { aMember, anEmail, wrongCode } from '../../support/api/people'
import { withoutRandom } from '../../support/personal'

const api = useApi()
let partner: PartnerRow
let session: string

beforeEach(async () => {
  partner = await aPartner(api)
  session = await aSession(api, partner)
})

const refusal = { status: 422, code: 'invalid_confirm_code' }
const outcomeOf = ({ status, body }: Answer) => ({ status, code: body.error?.code })

interface Action {
  readonly method: Method
  readonly path: string
  readonly body: object
  /** The same action with a different path or body. */
  readonly other: { readonly path?: string; readonly body?: object }
  readonly shown: readonly string[]
}

const actions: Readonly<Record<string, () => Promise<Action>>> = {
  'a live key': async () => {
    const body = { environment: 'live', label: 'Shop' }
    return { method: 'POST', path: '/v1/keys', body, other: { body: { ...body, label: 'Shop ' } }, shown: ['Shop'] }
  },
  'an admin invitation': async () => {
    const body = { email: anEmail(), name: 'Grace', role: 'admin' }
    const other = { body: { ...body, email: 'thief@evil.test' } }
    return { method: 'POST', path: '/v1/members', body, other, shown: [body.email, 'Grace'] }
  },
  'a promotion to admin': async () => {
    const [member, thief] = [
      await aMember(api, partner, { role: 'viewer' }),
      await aMember(api, partner, { role: 'viewer' }),
    ]
    const other = { path: `/v1/members/${thief.id}` }
    return { method: 'PATCH', path: `/v1/members/${member.id}`, body: { role: 'admin' }, other, shown: [member.email] }
  },
  'a billing email': async () => {
    const other = { body: { billing_email: 'thief@evil.test' } }
    return {
      method: 'PATCH',
      path: '/v1/account',
      body: { billing_email: 'bills@acme.test' },
      other,
      shown: ['bills@acme.test'],
    }
  },
  'the removal of the contact email': async () => {
    const other = { body: { contact_email: null, billing_email: null } }
    return { method: 'PATCH', path: '/v1/account', body: { contact_email: null }, other, shown: ['Removed'] }
  },
}

describe.each(Object.entries(actions))('%s', (_name, make) => {
  let action: Action
  const send = (change: { path?: string; body?: object; code?: string; by?: string } = {}) => {
    const body = {
      ...(change.body ?? action.body),
      ...(change.code === undefined ? {} : { confirm_code: change.code }),
    }
    return api.send(action.method, change.path ?? action.path, body, { session: change.by ?? session })
  }
  const codeOf = (by = session) => aConfirmCode(api, action.path, action.body, { session: by })

  beforeEach(async () => {
    action = await make()
  })

  test('is refused for a session without the emailed code, and changes nothing', async () => {
    const before = await power()
    const code = await codeOf()

    const answers = [await send(), await send({ code: wrongCode(code) })]

    expect(answers.map(outcomeOf)).toEqual([refusal, refusal])
    expect(await power()).toEqual(before)
  })

  test('succeeds once with the code, and the email describes the change', async () => {
    const code = await codeOf()
    const mail = (await confirmMails(api)).find((each) => each.code === code)

    const [first, second] = [await send({ code }), await send({ code })]

    expect([first.status < 300, outcomeOf(second)]).toEqual([true, refusal])
    for (const text of [...action.shown, 'Acme Ltd']) expect(mail?.text).toContain(text)
  })

  test('is refused with a code for another change, for another admin or for a payout', async () => {
    const before = await power()
    const code = await codeOf()
    const colleague = await aSession(api, partner)
    const payout = { session, headers: { 'Idempotency-Key': `order-${randomUUID()}` } }
    const forPayout = await aConfirmCode(api, '/v1/payouts?environment=live', aRequest(), payout)

    const answers = [
      await send({ ...action.other, code }),
      await send({ code, by: colleague }),
      await send({ code: forPayout }),
    ]

    expect(answers.map(outcomeOf)).toEqual([refusal, refusal, refusal])
    expect(await power()).toEqual(before)
  })

  test('is refused after five wrong codes, even with the right code', async () => {
    const code = await codeOf()
    await Promise.all(Array.from({ length: 20 }, () => send({ code: wrongCode(code) })))

    expect(outcomeOf(await send({ code }))).toEqual(refusal)
  })

  test('succeeds once when ten requests with one code arrive together', async () => {
    const code = await codeOf()

    const answers = await Promise.all(Array.from({ length: 10 }, () => send({ code })))

    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
  })
})

/** The live keys, the admins, and the addresses that get emails about money. */
function power() {
  return api.db.dataSource.query(
    `SELECT billing_email, contact_email,
      (SELECT count(*) FROM api_keys WHERE partner_id = p.id AND environment = 'live') AS keys,
      (SELECT array_agg(email ORDER BY email) FROM members WHERE partner_id = p.id AND role = 'admin'
        AND email NOT LIKE 'admin-%@people.test') AS admins
     FROM partners p WHERE id = $1`,
    [partner.id],
  )
}

test('a change that is refused for another reason leaves the code usable', async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, () => aKey(api, partner, 'live')))
  const body = { environment: 'live', label: 'Shop' }
  const confirm_code = await aConfirmCode(api, '/v1/keys', body, { session })
  const create = () => api.post('/v1/keys', { ...body, confirm_code }, { session })

  const refused = await create()
  await revokeKey(api, partner, keys[0] ?? '')

  expect([refused.body.error?.code, (await create()).status]).toEqual(['key_limit_reached', 201])
})

test('sandbox keys, viewers and other settings need no code, and a request for one is refused', async () => {
  const viewer = await aMember(api, partner, { role: 'viewer' })
  const as = { session }
  const ask = (path: string, body: object) => api.post(`${path}/confirm-codes`, body, as)

  const done = [
    await api.post('/v1/keys', { environment: 'sandbox' }, as),
    await api.post('/v1/members', { email: anEmail(), role: 'viewer' }, as),
    await api.send('PATCH', `/v1/members/${viewer.id}`, { role: 'viewer' }, as),
    await api.send('PATCH', '/v1/account', { brand_color: '#000000' }, as),
  ]
  const asked = [
    await ask('/v1/keys', { environment: 'sandbox' }),
    await ask('/v1/members', { email: anEmail(), role: 'viewer' }),
    await ask(`/v1/members/${viewer.id}`, { role: 'viewer' }),
    await ask('/v1/account', {}),
  ]

  expect(done.map(({ status }) => status)).toEqual([201, 201, 200, 200])
  expect(asked.map(outcomeOf)).toEqual(asked.map(() => ({ status: 409, code: 'invalid_state' })))
})

test('without verification, no code is sent for a live key, and the error names the reason', async () => {
  await changePartner(api, partner, { verificationStatus: 'pending' })
  const body = { environment: 'live' }

  const answers = [
    await api.post('/v1/keys/confirm-codes', body, { session }),
    await api.post('/v1/keys', body, { session }),
  ]

  const expected = { status: 403, code: 'verification_required' }
  expect(answers.map(outcomeOf)).toEqual([expected, expected])
})

test('the email address in an invitation can differ in case from the one that its code was requested for', async () => {
  const email = anEmail()
  const confirm_code = await aConfirmCode(
    api,
    '/v1/members',
    { email: email.toUpperCase(), role: 'admin' },
    { session },
  )

  const { status } = await api.post('/v1/members', { email, role: 'admin', confirm_code }, { session })

  expect(status).toBe(201)
})

test('the database stores codes only as a keyed hash and in a sealed email', async () => {
  const code = await aConfirmCode(api, '/v1/keys', { environment: 'live' }, { session })

  const rows = await api.db.dataSource.query(
    `SELECT row_to_json(codes)::text AS row FROM codes UNION ALL SELECT encode(sealed, 'hex') FROM mails
     UNION ALL SELECT row_to_json(activity)::text FROM activity`,
  )

  const text = JSON.stringify(rows)
  expect(text).not.toContain(Buffer.from(code).toString('hex'))
  expect(withoutRandom(text)).not.toContain(code)
})
