// A page sends the ID of the partner that it shows (X-Partner-Id). Its requests are refused after another tab has
// switched the session to another partner.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { openSession } from '../../../db/sign-in/sessions'
import { aRequest, type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { aMember } from '../../support/api/people'

const world = usePayoutWorld()
let shown: Payer
let other: Payer
let session: string

beforeAll(async () => {
  shown = await world.aPayer()
  other = await world.aPayer()
})
beforeEach(async () => {
  const { db, clock } = world.api
  const { id: memberId, email } = await aMember(world.api, shown)
  await aMember(world.api, other, { email })
  const opened = await db.transaction((tx) => openSession(tx, { memberId, at: clock.now(), absoluteMs: 86_400_000 }))
  session = opened?.token ?? ''
})

const pageOf = (payer: Payer) => ({ 'X-Partner-Id': payer.id })
const switchTo = ({ slug }: Payer) => world.api.post('/v1/auth/session/partner', { slug }, { session })
const payoutsOf = async ({ keys }: Payer) => (await world.api.get('/v1/payouts', { key: keys.sandbox })).body.data

test('a retry after another tab has switched the partner is 409, and pays only once', async () => {
  const headers = { ...pageOf(shown), 'Idempotency-Key': `order-${randomUUID()}` }
  const request = aRequest()
  const send = () => world.api.post('/v1/payouts', request, { session, headers })

  const first = await send()
  await switchTo(other)
  const retry = await send()
  await switchTo(shown)
  const back = await send()

  expect([first.status, retry.status, retry.body.error?.code]).toEqual([201, 409, 'invalid_state'])
  expect(retry.body.error).toMatchObject({
    message: expect.stringMatching(/^This page shows a different account/),
    details: { status: 'other_partner' },
  })
  expect([back.status, back.body['id']]).toEqual([200, first.body['id']])
  expect(await payoutsOf(shown)).toHaveLength(1)
  expect(await payoutsOf(other)).toEqual([])
})

test('a read from another partner’s page is 409, and requests without the header or with an API key are not checked', async () => {
  const ask = (options: object) => world.api.get('/v1/balance', options)

  const statuses = [
    await ask({ session, headers: pageOf(shown) }),
    await ask({ session, headers: { 'X-Partner-Id': shown.id.toUpperCase() } }),
    await ask({ session, headers: pageOf(other) }),
    await ask({ session, headers: { 'X-Partner-Id': 'nonsense' } }),
    await ask({ session }),
    await ask({ key: shown.keys.sandbox, headers: pageOf(other) }),
  ].map(({ status }) => status)

  expect(statuses).toEqual([200, 200, 409, 409, 200, 200])
})

test('reading the session, switching partners and signing out work from any page', async () => {
  const headers = pageOf(other)

  const answers = [
    await world.api.get('/v1/auth/session', { session, headers }),
    await world.api.post('/v1/auth/session/partner', { slug: shown.slug }, { session, headers }),
    await world.api.send('DELETE', '/v1/auth/session', undefined, { session, headers }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
})
