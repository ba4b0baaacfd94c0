// Admins get emails about live keys, invited admins, changed roles and addresses, and first live payouts.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { sendNotices } from '../../../activities/partners/notices'
import { takeMails } from '../../../db/partners/mails'
import type { PartnerRow } from '../../../db/partners/partners'
import { createSimulatedRail } from '../../../rail/simulated'
import { testKeyring, useApi } from '../../support/api/client'
import { sendConfirmed } from '../../support/api/confirmed'
import { aClock, aKey, aPartner, aSession, deposit } from '../../support/api/fixtures'
import { aRequest } from '../../support/api/payout-world'
import { aMember, anEmail } from '../../support/api/people'
import { keptLog } from '../../support/kept-logs'

const clock = aClock('2026-11-16T12:00:00Z')
const simulated = createSimulatedRail({ clock })
const api = useApi({ clock, rails: { simulated, provider_production: simulated } })

interface Person {
  readonly session: string
  readonly id: string
  readonly email: string
}

async function aPerson(partner: PartnerRow, role: 'admin' | 'viewer' = 'admin'): Promise<Person> {
  const session = await aSession(api, partner, role)
  const { id, email } = Object((await api.get('/v1/auth/session', { session })).body['member'])
  return { session, id, email }
}

/** The queued notices, sorted by address. */
async function notices() {
  const leaseUntil = new Date(clock.now().getTime() + 3_600_000)
  const taken = await takeMails(api.db, testKeyring, { at: clock.now(), leaseUntil, limit: 100 })
  const mails = taken.flatMap(({ kind, mail }) => (kind === 'notice' && mail !== null ? [mail] : []))
  return mails.toSorted((one, other) => (one.to.address < other.to.address ? -1 : 1))
}

const summary = async () => (await notices()).map(({ to, subject }) => [to.address, subject])
const sorted = (pairs: readonly (readonly [string, string])[]) =>
  pairs.toSorted(([one], [other]) => (one < other ? -1 : 1))

const makeKey = (session: string, body: object = { environment: 'live', label: 'Shop' }) =>
  sendConfirmed(api, 'POST', '/v1/keys', body, { session })

test('every admin, including the creator, gets an email about a live key, without its secret', async () => {
  const partner = await aPartner(api)
  const [maker, other] = [await aPerson(partner), await aPerson(partner)]
  await aPerson(partner, 'viewer')
  await aPerson(await aPartner(api))

  const { body } = await makeKey(maker.session)
  const mails = await notices()

  const subject = 'A live API key was created'
  expect(mails.map(({ to, subject: line }) => [to.address, line])).toEqual(
    sorted([
      [maker.email, subject],
      [other.email, subject],
    ]),
  )
  for (const text of ['Shop', maker.email, '2026-11-16 12:00 UTC', 'Acme Ltd', String(body['key_prefix'])]) {
    expect(mails[0]?.text).toContain(text)
  }
  expect(mails.filter(({ text }) => text.includes('someone signed in as you')).map(({ to }) => to.address)).toEqual([
    maker.email,
  ])
  expect(JSON.stringify(mails)).not.toContain(String(body['secret']).slice(0, String(body['key_prefix']).length + 4))
})

test('no email is sent about a sandbox key or a refused key', async () => {
  const partner = await aPartner(api)
  const [{ session }] = [await aPerson(partner), await aPerson(partner)]

  await api.post('/v1/keys', { environment: 'sandbox' }, { session })
  await api.post('/v1/keys', { environment: 'live' }, { session })

  expect(await summary()).toEqual([])
})

test('the only admin gets an email about a live key that they created', async () => {
  const { session, email } = await aPerson(await aPartner(api))

  await makeKey(session)

  expect(await summary()).toEqual([[email, 'A live API key was created']])
})

test('every admin gets an email about an invited admin, but not about an invited viewer', async () => {
  const partner = await aPartner(api)
  const [inviter, other] = [await aPerson(partner), await aPerson(partner)]
  const { session } = inviter

  await api.post('/v1/members', { email: anEmail(), role: 'viewer' }, { session })
  const viewer = await summary()
  await sendConfirmed(api, 'POST', '/v1/members', { email: anEmail(), role: 'admin' }, { session })

  expect(viewer).toEqual([])
  expect(await summary()).toEqual(sorted([inviter, other].map(({ email }) => [email, 'An admin was invited'] as const)))
})

test('all admins get an email about a promotion, only the member and the acting admin about a demotion, and no one about an unchanged role', async () => {
  const partner = await aPartner(api)
  const [by, other, changed] = [await aPerson(partner), await aPerson(partner), await aPerson(partner, 'viewer')]
  const path = `/v1/members/${changed.id}`
  const promote = async () => {
    await sendConfirmed(api, 'PATCH', path, { role: 'admin' }, { session: by.session })
    return summary()
  }
  const demote = async () => {
    await api.send('PATCH', path, { role: 'viewer' }, { session: by.session })
    return summary()
  }

  const [up, same, down] = [await promote(), await promote(), await demote()]

  expect(up).toEqual(
    sorted([
      [changed.email, 'You’re now an admin'],
      [other.email, 'A team member is now an admin'],
      [by.email, 'A team member is now an admin'],
    ]),
  )
  expect(same).toEqual([])
  expect(down).toEqual(
    sorted([
      [changed.email, 'You’re now a viewer'],
      [by.email, 'A team member is now a viewer'],
    ]),
  )
})

test('a removed member and all admins get an email, but a withdrawn invitation causes none', async () => {
  const partner = await aPartner(api)
  const [by, other, removed] = [await aPerson(partner), await aPerson(partner), await aPerson(partner)]
  const { session } = by
  const invited = await api.post('/v1/members', { email: anEmail(), role: 'viewer' }, { session })

  await api.send('DELETE', `/v1/members/${String(invited.body['id'])}`, undefined, { session })
  const withdrawn = await summary()
  await api.send('DELETE', `/v1/members/${removed.id}`, undefined, { session })

  expect(withdrawn).toEqual([])
  expect(await summary()).toEqual(
    sorted([
      [removed.email, 'You were removed from the account'],
      [other.email, 'A team member was removed'],
      [by.email, 'A team member was removed'],
    ]),
  )
})

test('the emails about a member who leaves say that the member left', async () => {
  const partner = await aPartner(api)
  const [left, other] = [await aPerson(partner), await aPerson(partner)]

  await api.send('DELETE', `/v1/members/${left.id}`, undefined, { session: left.session })

  expect(await summary()).toEqual(
    sorted([
      [left.email, 'You left the account'],
      [other.email, 'A team member left'],
    ]),
  )
})

test('every admin gets an email about a changed billing or contact address', async () => {
  const partner = await aPartner(api)
  const [by, other] = [await aPerson(partner), await aPerson(partner)]

  const body = { billing_email: 'bills@acme.test', contact_email: null }
  await sendConfirmed(api, 'PATCH', '/v1/account', body, { session: by.session })
  const mails = await notices()

  expect(mails.map(({ to }) => to.address)).toEqual([by.email, other.email].toSorted())
  expect(mails[0]?.text).toMatch(/Billing email: +bills@acme\.test\nContact email: +Removed/)
})

test('a member who has never signed in gets no email, because the address may belong to a stranger', async () => {
  const partner = await aPartner(api)
  const { session, email } = await aPerson(partner)
  const stranger = await aMember(api, partner, { role: 'viewer' })

  await sendConfirmed(api, 'PATCH', `/v1/members/${stranger.id}`, { role: 'admin' }, { session })
  await makeKey(session)

  expect((await summary()).map(([address]) => address)).toEqual([email, email])
})

test('the name of a business is not in the subject, and its markup is shown as text', async () => {
  const partner = await aPartner(api, { name: '<img src=x onerror=alert(1)>' })
  const [{ session }] = [await aPerson(partner), await aPerson(partner)]

  await makeKey(session, { environment: 'live', label: '<b>bold</b>' })
  const [mail] = await notices()

  expect(mail?.subject).toBe('A live API key was created')
  expect(mail?.html).not.toMatch(/<img|<b>/)
})

describe('the email about the first live payout', () => {
  let partner: PartnerRow
  let admins: readonly [Person, Person]

  beforeEach(async () => {
    partner = await aPartner(api)
    admins = [await aPerson(partner), await aPerson(partner)]
    await aPerson(partner, 'viewer')
    await deposit(api, partner, { microUsdc: 100_000_000_000n })
  })

  const payBy = (key: string) =>
    api.post('/v1/payouts', aRequest(), { key, headers: { 'Idempotency-Key': `order-${randomUUID()}` } })

  async function payAs(session: string) {
    const options = { session, headers: { 'Idempotency-Key': `order-${randomUUID()}` } }
    return sendConfirmed(api, 'POST', '/v1/payouts?environment=live', aRequest(), options)
  }

  /** Runs the scheduled job that turns notices into queued emails. Returns the emails to this partner's members. */
  async function mailed() {
    const { db, keyring } = api
    const deps = { db, clock, log: keptLog(), keyring, publicUrl: 'https://payouts.test' }
    await sendNotices(deps, { limit: 50 })
    const { data = [] } = (await api.get('/v1/members', { session: admins[0].session })).body
    const emails = new Set(data.map(({ email }) => email))
    return (await notices()).filter(({ to }) => emails.has(to.address))
  }

  test('goes to all admins once per key, even if several first payouts arrive together', async () => {
    const key = await aKey(api, partner, 'live')

    const paid = await Promise.all(Array.from({ length: 8 }, () => payBy(key)))
    const first = await mailed()
    await payBy(key)

    expect(paid.map(({ status }) => status)).toEqual(paid.map(() => 201))
    expect(first.map(({ to }) => to.address)).toEqual(admins.map(({ email }) => email).toSorted())
    expect(first[0]?.subject).toBe('Acme Ltd: An API key created its first live payout')
    expect(first[0]?.text).toContain(`by API key ${key.slice(0, 'kp_live_'.length + 8)}…`)
    expect(first[0]?.text).toContain('£120.00')
    expect(await mailed()).toEqual([])
  })

  test('goes to all admins once for each admin who makes a payout', async () => {
    const [one, other] = admins
    await payAs(one.session)
    await payAs(one.session)
    const first = await mailed()
    await payAs(other.session)
    const second = await mailed()

    expect([first, second].map((mails) => mails.map(({ subject }) => subject))).toEqual(
      [1, 2].map(() => admins.map(() => 'Acme Ltd: An admin created their first live payout')),
    )
    expect(first[0]?.text).toContain(`by ${one.email}`)
    expect(second[0]?.text).toContain(`by ${other.email}`)
  })

  test('can be sent by any process, because an accepted payout stores its notice and a refused one stores none', async () => {
    const key = await aKey(api, partner, 'live')
    const stored = () =>
      api.db.dataSource.query(`SELECT about FROM notices WHERE kind = 'first_payout' AND partner_id = $1`, [partner.id])
    const tooMuch = { ...aRequest(), amount_gbp: '20000.00' }
    const headers = { 'Idempotency-Key': `order-${randomUUID()}` }
    await api.db.dataSource.query(`UPDATE partners SET max_payout_pence = 100000 WHERE id = $1`, [partner.id])

    await api.post('/v1/payouts', tooMuch, { key, headers })
    const none = await stored()
    const { body } = await payBy(key)

    expect([none, await stored()]).toEqual([[], [{ about: body['id'] }]])
  })

  test('is sent even if the partner has muted it', async () => {
    const key = await aKey(api, partner, 'live')
    await api.db.dataSource.query(`UPDATE partners SET muted_mails = '{first_payout,top_up}' WHERE id = $1`, [
      partner.id,
    ])

    await payBy(key)

    expect(await mailed()).toHaveLength(admins.length)
  })

  test('is not sent for a sandbox payout', async () => {
    await payBy(await aKey(api, partner, 'sandbox'))

    expect(await mailed()).toEqual([])
  })
})
