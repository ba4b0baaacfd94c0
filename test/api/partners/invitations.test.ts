// Admins can resend or withdraw invitations. A member of another partner sees invitations listed separately,
// accepts one by switching partners, and can decline one without switching.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { openSession } from '../../../db/sign-in/sessions'
import type { MemberRole } from '../../../domain/partners/partner'
import { aPartner, aSession, changePartner } from '../../support/api/fixtures'
import { aCode, aMember, anEmail, codesOf, requestCode, signIn, useMailedApi } from '../../support/api/people'
import { until } from '../../support/until'

const { api, inbox } = useMailedApi({ rateLimit: 'on' })

/** A person who is signed in to their own partner and invited by another. */
async function anInvited({ role = 'viewer', as = 'viewer' }: { role?: MemberRole; as?: MemberRole } = {}) {
  const [own, inviting] = [await aPartner(api), await aPartner(api)]
  const { id: memberId, email } = await aMember(api, own, { role })
  await aMember(api, inviting, { email, role: as })
  const at = api.clock.now()
  const opened = await api.db.transaction((tx) => openSession(tx, { memberId, at, absoluteMs: 86_400_000 }))
  return { own, inviting, email, session: opened?.token ?? '' }
}

const partnersOf = async (session: string) => (await api.get('/v1/auth/session', { session })).body['partners']
const decline = (session: string, slug: string) =>
  api.send('DELETE', `/v1/auth/invitations/${slug}`, undefined, { session })

test('the session lists invitations separately, until the person switches to the partner', async () => {
  const { own, inviting, session } = await anInvited()

  const before = await partnersOf(session)
  await api.post('/v1/auth/session/partner', { slug: inviting.slug }, { session })

  expect(before).toEqual([
    { slug: own.slug, name: 'Acme Ltd', invited: false },
    { slug: inviting.slug, name: 'Acme Ltd', invited: true },
  ])
  expect(await partnersOf(session)).toEqual(
    expect.arrayContaining([{ slug: inviting.slug, name: 'Acme Ltd', invited: false }]),
  )
})

test('a person can decline an invitation while signed in to another partner, and the inviting admins see that', async () => {
  const { own, inviting, email, session } = await anInvited({ as: 'admin' })
  const admin = await aSession(api, inviting)
  await changePartner(api, inviting, { status: 'suspended' })

  const { status, body } = await decline(session, inviting.slug)
  const { body: activity } = await api.get('/v1/activity', { session: admin })

  expect([status, body]).toEqual([200, { slug: inviting.slug, declined: true }])
  expect(await partnersOf(session)).toEqual([{ slug: own.slug, name: 'Acme Ltd', invited: false }])
  expect(activity.data?.[0]).toMatchObject({ action: 'member.decline', by: email, status: 200 })
  expect((await decline(session, inviting.slug)).status).toBe(404)
})

test('neither an accepted invitation nor another person’s invitation can be declined', async () => {
  const { inviting, own, session } = await anInvited()
  const stranger = await anInvited()
  await api.post('/v1/auth/session/partner', { slug: inviting.slug }, { session })

  const answers = [
    await decline(session, inviting.slug),
    await decline(session, own.slug),
    await decline(session, stranger.inviting.slug),
    await decline(session, 'No Slug'),
  ]

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(answers.map(() => [404, 'not_found']))
  expect(await partnersOf(stranger.session)).toHaveLength(2)
})

const invite = async (session: string, email: string) =>
  String((await api.post('/v1/members', { email, role: 'viewer' }, { session })).body['id'])
const resend = (session: string, id: string) => api.post(`/v1/members/${id}/invitation`, undefined, { session })
const withdraw = (session: string, id: string) => api.send('DELETE', `/v1/members/${id}`, undefined, { session })
const statusOfLink = async (id: string) => {
  const { status, body } = await api.get(`/v1/public/invitations/${id}`)
  return body['status'] ?? status
}
const mailsTo = async (email: string) =>
  (await inbox.messages()).filter(
    ({ envelope, subject }) => envelope.to.includes(email) && / invited you /.test(subject),
  )

test('an admin can resend an invitation with the same link three times an hour, and the audit log shows it', async () => {
  const partner = await aPartner(api)
  const [first, second] = [await aSession(api, partner), await aSession(api, partner)]
  const email = anEmail()
  const id = await invite(first, email)

  const answers = [await resend(second, id), await resend(second, id), await resend(first, id), await resend(first, id)]
  const mails = await until('four emails have arrived', async () => {
    const arrived = await mailsTo(email)
    return arrived.length === 4 ? arrived : null
  })

  expect(answers.map(({ status, body }) => body['status'] ?? `${status} ${body.error?.code}`)).toEqual([
    'invited',
    'invited',
    'invited',
    '429 rate_limited',
  ])
  for (const { text } of mails) expect(text).toContain(`http://payouts.test/p/${partner.slug}?invitation=${id}`)
  const { body: log } = await api.get('/v1/activity?security_only=true', { session: first })
  expect(log.data?.filter(({ action }) => action === 'member.resend')).toHaveLength(3)
  expect(log.data?.[0]).toMatchObject({ action: 'member.resend', status: 202, detail: email })
})

test('resent invitations count against the partner’s hourly limit', async () => {
  const partner = await aPartner(api)
  const session = await aSession(api, partner)
  const ids: string[] = []
  for (let count = 0; count < 18; count++) ids.push(await invite(session, anEmail()))

  const statuses = []
  for (const id of ids.slice(0, 3)) statuses.push((await resend(session, id)).status)

  expect(statuses).toEqual([202, 202, 429])
})

test('only an admin of the partner can resend an invitation, and only to a member who has not signed in', async () => {
  const partner = await aPartner(api)
  const [admin, viewer] = [await aSession(api, partner), await aSession(api, partner, 'viewer')]
  const email = anEmail()
  const id = await invite(admin, email)
  const stranger = await aSession(api, await aPartner(api))

  const refused = [await resend(viewer, id), await resend(stranger, id), await resend(admin, randomUUID())]
  await signIn(api, email, await aCode(api, inbox, email))
  const late = await resend(admin, id)

  expect(refused.map(({ status }) => status)).toEqual([403, 404, 404])
  expect([late.status, late.body.error?.details]).toEqual([409, { status: 'active' }])
  expect(await mailsTo(email)).toHaveLength(1)
})

test('after an invitation is withdrawn, its address gets no code and its link is not found', async () => {
  const partner = await aPartner(api)
  const [admin, viewer] = [await aSession(api, partner), await aSession(api, partner, 'viewer')]
  const [email, other] = [anEmail(), anEmail()]
  const [id, otherId] = [await invite(admin, email), await invite(admin, other)]

  const byViewer = await withdraw(viewer, id)
  const before = await statusOfLink(id)
  await withdraw(admin, id)
  await requestCode(api, email)
  await signIn(api, other, await aCode(api, inbox, other))

  expect([byViewer.status, before]).toEqual([403, 'open'])
  expect([await statusOfLink(id), await statusOfLink(otherId)]).toEqual([404, 'accepted'])
  expect((await resend(admin, id)).status).toBe(404)
  expect(await codesOf(inbox, email)).toEqual([])
})
