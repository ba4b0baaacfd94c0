// Invitations for members of another partner: listed separately, accepted by switching, declined without
// switching.
import { expect, test } from '@jest/globals'
import { openSession } from '../../../db/sign-in/sessions'
import type { MemberRole } from '../../../domain/partners/partner'
import { useApi } from '../../support/api/client'
import { aPartner, aSession, changePartner } from '../../support/api/fixtures'
import { aMember } from '../../support/api/people'

const api = useApi()

/** A person signed in at their own partner and invited by another. */
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

test('a person declines an invitation while signed in elsewhere, even from a suspended partner, whose admins see it', async () => {
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

test('an accepted invitation is no longer listed, nor is another person’s', async () => {
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
