// /v1/members: admins add, change and remove members. One admin always remains, even under concurrent
// requests.
import { expect, test } from '@jest/globals'
import { changeRole } from '../../../db/partners/members'
import type { PartnerRow } from '../../../db/partners/partners'
import type { Answer } from '../../support/api/client'
import { sendConfirmed } from '../../support/api/confirmed'
import { aClock, aKey, aPartner, aSession, changePartner } from '../../support/api/fixtures'
import { aCode, anEmail, signIn, useMailedApi } from '../../support/api/people'
import { until } from '../../support/until'

const clock = aClock('2026-11-16T12:00:00Z')
const { api, inbox } = useMailedApi({ clock })

const invite = (session: string, email: string) =>
  api.post('/v1/members', { email, name: 'Grace Hopper', role: 'viewer' }, { session })
const promote = (session: string, id: string) =>
  sendConfirmed(api, 'PATCH', `/v1/members/${id}`, { role: 'admin' }, { session }, inbox)
const idOf = async (session: string, email: string) => {
  const { body } = await api.get('/v1/members', { session })
  const id = body.data?.find((each) => each['email'] === email)?.['id']
  return typeof id === 'string' ? id : ''
}
const firstAdminOf = (partner: PartnerRow) => `ada@${partner.slug}.test`

test('an invited member is in the list, gets an email with the sign-in address, and signs in', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  const email = anEmail()

  const { status, body } = await invite(session, email.toUpperCase())
  const mail = await until('the invitation has arrived', async () =>
    (await inbox.messages()).find(({ envelope }) => envelope.to.includes(email)),
  )
  const { body: list } = await api.get('/v1/members', { session })
  const signedIn = await signIn(api, email, await aCode(api, inbox, email))
  const { body: after } = await api.get('/v1/members', { session })
  const statusIn = ({ data }: Answer['body']) => data?.find((each) => each['email'] === email)?.['status']

  expect([statusIn(list), statusIn(after)]).toEqual(['invited', 'active'])
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String),
      email,
      name: 'Grace Hopper',
      role: 'viewer',
      status: 'invited',
      last_login_at: null,
      created_at: '2026-11-16T12:00:00.000Z',
    },
  ])
  expect(mail.subject).toMatch(/^\S+@\S+ invited you to Acme Ltd$/)
  expect(mail.text).toContain(`http://payouts.test/p/${partner.slug}`)
  expect(list.data?.map((each) => each['email'])).toContain(email)
  expect(signedIn.status).toBe(201)
})

test('an invitation from an unverified partner contains no names and no slug', async () => {
  const partner = await aPartner(api)
  await changePartner(api, partner, { name: 'You have won', verificationStatus: 'not_started' })
  const email = anEmail()

  await invite(await aSession(api, partner), email)
  const mail = await until('the invitation has arrived', async () =>
    (await inbox.messages()).find(({ envelope }) => envelope.to.includes(email)),
  )

  expect(mail.subject).toBe('You’re invited to Payouts')
  expect(mail.text).toContain('http://payouts.test/sign-in')
  for (const forbidden of ['won', 'Grace', 'Hopper', partner.slug]) {
    expect(`${mail.subject} ${mail.text} ${mail.html}`).not.toContain(forbidden)
  }
})

test.each([
  'See https://evil.test',
  'evil.test/win',
  'See evil.test',
  't.co',
  'WWW.evil.test',
  'Grace\r\nBcc: all',
  '\u200b\u200d',
  '   ',
  '\u3164',
  'Gra\u200bce',
])('%j is not accepted as a name', async (name) => {
  const { status, body } = await inviteNamed(name)

  expect([status, body.error?.details]).toEqual([
    422,
    { errors: ['name (1 to 80 visible characters and spaces, no web address)'] },
  ])
})

test.each([
  'Grace',
  "Conan O'Brien-Łuk",
  '李小龍',
  'J.R. Smith',
  'Smith T/A Smith & Sons',
  '\u0646\u0627\u0645\u200c\u0647',
])('%j is accepted as a name', async (name) => {
  const { body } = await inviteNamed(name)

  expect(body['name']).toBe(name)
})

async function inviteNamed(name: string) {
  const session = await aSession(api, await aPartner(api))
  return api.post('/v1/members', { email: anEmail(), name, role: 'viewer' }, { session })
}

test('an existing member is not added again', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)

  const { status, body } = await invite(session, firstAdminOf(partner))

  expect([status, body.error?.code, body.error?.details]).toEqual([409, 'invalid_state', { status: 'already_member' }])
})

test('the last admin can neither be removed nor made a viewer', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  await api.send('DELETE', `/v1/members/${await idOf(session, firstAdminOf(partner))}`, undefined, { session })
  const me = Object((await api.get('/v1/auth/session', { session })).body['member']).email
  const id = await idOf(session, me)

  const answers = [
    await api.send('DELETE', `/v1/members/${id}`, undefined, { session }),
    await api.send('PATCH', `/v1/members/${id}`, { role: 'viewer' }, { session }),
  ]

  expect(answers.map(({ status, body }) => [status, body.error?.code, body.error?.details])).toEqual([
    [409, 'invalid_state', { status: 'last_admin' }],
    [409, 'invalid_state', { status: 'last_admin' }],
  ])
  expect((await promote(session, id)).status).toBe(200)
})

test('an invited admin who never signed in cannot replace the last admin, and can be removed', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  const invited = anEmail()
  await sendConfirmed(api, 'POST', '/v1/members', { email: invited, role: 'admin' }, { session }, inbox)
  const me = Object((await api.get('/v1/auth/session', { session })).body['member']).id
  const remove = (id: string) => api.send('DELETE', `/v1/members/${id}`, undefined, { session })

  const left = await remove(me)
  const demoted = await api.send('PATCH', `/v1/members/${me}`, { role: 'viewer' }, { session })
  const declined = await remove(await idOf(session, invited))

  expect([left, demoted].map(({ status, body }) => [status, body.error?.details])).toEqual([
    [409, { status: 'last_admin' }],
    [409, { status: 'last_admin' }],
  ])
  expect(declined.status).toBe(200)
})

test('a viewer can leave, which signs them out, but cannot remove others', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner, 'viewer')
  const me = Object((await api.get('/v1/auth/session', { session })).body['member']).id
  const leave = (id: string) => api.send('DELETE', `/v1/members/${id}`, undefined, { session })

  const refused = await leave(await idOf(session, firstAdminOf(partner)))
  const left = await leave(me.toUpperCase())

  expect([refused.status, refused.body.error?.code]).toEqual([403, 'api_key_required'])
  expect([left.status, left.body]).toEqual([200, { id: me, removed: true }])
  expect(left.headers.get('Set-Cookie')).toMatch(/^__Host-session=; .*Max-Age=0/)
  expect((await api.get('/v1/auth/session', { session })).status).toBe(401)
})

test('when two admins remove each other at the same moment, one of them remains', async () => {
  const partner = await aPartner(api)
  const [one, other] = [await aSession(api, partner), await aSession(api, partner)]
  const ownId = async (session: string) =>
    String(Object((await api.get('/v1/auth/session', { session })).body['member']).id)
  const ids = { one: await ownId(one), other: await ownId(other) }
  const remove = (session: string, id: string) => api.send('DELETE', `/v1/members/${id}`, undefined, { session })
  await remove(one, await idOf(one, firstAdminOf(partner)))

  const answers = await Promise.all([remove(one, ids.other), remove(other, ids.one)])

  const left = await api.db.dataSource.query('SELECT role FROM members WHERE partner_id = $1', [partner.id])
  expect(left).toEqual([{ role: 'admin' }])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('members of another partner can be neither seen nor changed', async () => {
  const [partner, other] = [await aPartner(api), await aPartner(api)]
  const [session, theirs] = [await aSession(api, partner), await aSession(api, other)]
  const id = await idOf(theirs, firstAdminOf(other))

  const answers = [
    await api.send('DELETE', `/v1/members/${id}`, undefined, { session }),
    await api.send('PATCH', `/v1/members/${id}`, { role: 'viewer' }, { session }),
    await api.send('DELETE', '/v1/members/nonsense', undefined, { session }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  expect(await idOf(session, firstAdminOf(other))).toBe('')
  expect(await idOf(theirs, firstAdminOf(other))).toBe(id)
})

test('the activity list shows each change with the email address of the admin who made it', async () => {
  const session = await aSession(api, await aPartner(api))
  const email = anEmail()
  const id = Object((await invite(session, email)).body)['id']
  await promote(session, id)
  await api.send('DELETE', `/v1/members/${id}`, undefined, { session })

  const me = Object((await api.get('/v1/auth/session', { session })).body['member']).email
  const { body } = await api.get('/v1/activity', { session })

  expect(body.data?.filter(({ by }) => by === me).map(({ action, detail }) => [action, detail])).toEqual([
    ['member.delete', email],
    ['member.update', `${email} as admin`],
    ['member.confirm', `${email} as admin`],
    ['member.create', `${email} as viewer`],
  ])
})

test('an admin of a suspended partner can remove and demote members, withdraw invitations and sign out', async () => {
  const partner = await aPartner(api)
  const [session, removed, demoted] = [
    await aSession(api, partner),
    await aSession(api, partner, 'viewer'),
    await aSession(api, partner),
  ]
  const { id: invited } = (await invite(session, anEmail())).body
  await changePartner(api, partner, { status: 'suspended' })

  const statuses = [
    await api.send('DELETE', `/v1/members/${await ownIdOf(removed)}`, undefined, { session }),
    await api.send('PATCH', `/v1/members/${await ownIdOf(demoted)}`, { role: 'viewer' }, { session }),
    await api.send('DELETE', `/v1/members/${String(invited)}`, undefined, { session }),
    await api.send('DELETE', '/v1/auth/sessions', undefined, { session }),
  ].map(({ status }) => status)

  expect(statuses).toEqual([200, 200, 200, 200])
  expect((await api.get('/v1/auth/session', { session: removed })).status).toBe(401)
  expect((await api.get('/v1/auth/session', { session: demoted })).body['member']).toMatchObject({ role: 'viewer' })
  expect((await api.get('/v1/auth/session', { session })).status).toBe(401)
})

test('an admin of a suspended partner can neither invite nor promote', async () => {
  const partner = await aPartner(api)
  const [session, viewer] = [await aSession(api, partner), await aSession(api, partner, 'viewer')]
  await changePartner(api, partner, { status: 'suspended' })

  const id = await ownIdOf(viewer)

  const answers = [
    await invite(session, anEmail()),
    await api.send('PATCH', `/v1/members/${id}`, { role: 'admin' }, { session }),
    await api.post(`/v1/members/${id}/confirm-codes`, { role: 'admin' }, { session }),
  ]
  // Simulates a request that was authorized just before the suspension.
  const inTransaction = await api.db.transaction((tx) => changeRole(tx, { partnerId: partner.id, id, role: 'admin' }))

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
    answers.map(() => [403, 'partner_not_active']),
  )
  expect(inTransaction).toEqual({ outcome: 'partner_not_active' })
  expect((await api.get('/v1/auth/session', { session: viewer })).body['member']).toMatchObject({ role: 'viewer' })
})

test('an API key cannot read the members of the account', async () => {
  const key = await aKey(api, await aPartner(api), 'sandbox')

  const { status, body } = await api.get('/v1/members', { key })

  expect([status, body.error?.code]).toEqual([403, 'api_key_required'])
})

async function ownIdOf(session: string): Promise<string> {
  return String(Object((await api.get('/v1/auth/session', { session })).body['member']).id)
}
