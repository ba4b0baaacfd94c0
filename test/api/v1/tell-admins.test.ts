// What gives somebody power over live money is mailed to the other admins: a live key, an invited admin, a changed role.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { takeMails } from '../../../db/mails'
import type { PartnerRow } from '../../../db/partners'
import { type Api, startApi, testKeyring } from '../client'
import { aClock, aPartner, aSession } from '../fixtures'
import { aMember, anEmail } from './auth/people'

const clock = aClock('2026-11-16T12:00:00Z')
let api: Api

beforeAll(async () => {
  api = await startApi({ clock })
})
afterAll(() => api.close())

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

/** The notices that nobody has taken yet, by address. */
async function notices() {
  const leaseUntil = new Date(clock.now().getTime() + 3_600_000)
  const taken = await takeMails(api.db, testKeyring, { at: clock.now(), leaseUntil, limit: 100 })
  const mails = taken.flatMap(({ kind, mail }) => (kind === 'notice' && mail !== null ? [mail] : []))
  return mails.toSorted((one, other) => (one.to.address < other.to.address ? -1 : 1))
}

const summary = async () => (await notices()).map(({ to, subject }) => [to.address, subject])
const sorted = (pairs: readonly (readonly [string, string])[]) =>
  pairs.toSorted(([one], [other]) => (one < other ? -1 : 1))

test('a live key is told to every other admin, with its prefix, who made it and when, and without its secret', async () => {
  const partner = await aPartner(api)
  const [maker, other] = [await aPerson(partner), await aPerson(partner)]
  await aPerson(partner, 'viewer')
  await aPerson(await aPartner(api))

  const { body } = await api.post('/v1/keys', { environment: 'live', label: 'Shop' }, { session: maker.session })
  const told = await notices()

  expect(told.map(({ to, subject }) => [to.address, subject])).toEqual([[other.email, 'A live API key was made']])
  for (const words of ['Shop', maker.email, '2026-11-16 12:00 UTC', 'Acme Ltd', String(body['key_prefix'])]) {
    expect(told[0]?.text).toContain(words)
  }
  expect(JSON.stringify(told)).not.toContain(String(body['secret']).slice(0, String(body['key_prefix']).length + 4))
})

test('a sandbox key is told to nobody, nor a key that was refused', async () => {
  const partner = await aPartner(api, { verificationStatus: 'in_review' })
  const [{ session }] = [await aPerson(partner), await aPerson(partner)]

  await api.post('/v1/keys', { environment: 'sandbox' }, { session })
  await api.post('/v1/keys', { environment: 'live' }, { session })

  expect(await summary()).toEqual([])
})

test('an invited admin is told to the others, an invited viewer is not', async () => {
  const partner = await aPartner(api)
  const [inviter, other] = [await aPerson(partner), await aPerson(partner)]
  const invite = (email: string, role: string) => api.post('/v1/members', { email, role }, { session: inviter.session })

  await invite(anEmail(), 'viewer')
  const viewer = await summary()
  await invite(anEmail(), 'admin')

  expect([viewer, await summary()]).toEqual([[], [[other.email, 'An admin was invited']]])
})

test('a new admin is told so, and the other admins; who becomes a viewer is told alone; no change is no news', async () => {
  const partner = await aPartner(api)
  const [by, other, changed] = [await aPerson(partner), await aPerson(partner), await aPerson(partner, 'viewer')]
  const make = async (role: string) => {
    await api.send('PATCH', `/v1/members/${changed.id}`, { role }, { session: by.session })
    return summary()
  }

  const [up, same, down] = [await make('admin'), await make('admin'), await make('viewer')]

  expect(up).toEqual(
    sorted([
      [changed.email, 'You are an admin now'],
      [other.email, 'Somebody was made an admin'],
    ]),
  )
  expect([same, down]).toEqual([[], [[changed.email, 'You are a viewer now']]])
})

test('nobody is written to who has never signed in: it may be a stranger’s address', async () => {
  const partner = await aPartner(api)
  const { session } = await aPerson(partner)
  const stranger = await aMember(api, partner, { role: 'viewer' })

  await api.send('PATCH', `/v1/members/${stranger.id}`, { role: 'admin' }, { session })
  await api.post('/v1/keys', { environment: 'live' }, { session })

  expect(await summary()).toEqual([])
})

test('what a business calls itself is not in the subject, and markup in it stays text', async () => {
  const partner = await aPartner(api, { name: '<img src=x onerror=alert(1)>' })
  const [{ session }] = [await aPerson(partner), await aPerson(partner)]

  await api.post('/v1/keys', { environment: 'live', label: '<b>bold</b>' }, { session })
  const [mail] = await notices()

  expect(mail?.subject).toBe('A live API key was made')
  expect(mail?.html).not.toMatch(/<img|<b>/)
})
