// GET /v1/payouts/{id}/events: the steps of a payout, each once and in order, in the partner's terms.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { setAttention } from '../../../db/payouts/steps'
import { aRequest, type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { until } from '../../support/bank/client'

const world = usePayoutWorld()
let payer: Payer

beforeAll(async () => {
  payer = await world.aPayer()
})
afterEach(() => world.bank.control('DELETE', '/faults'))

const eventsOf = async (id: unknown, key = payer.keys.sandbox) =>
  world.api.get(`/v1/payouts/${String(id)}/events`, { key })
const eventRowsOf = async (id: unknown) =>
  (await eventsOf(id)).body.data?.map(({ event, status, by, detail }) => [event, status, by, detail])

test('events cover every step from the request to completion', async () => {
  const { body } = await world.pay(payer)
  const id = body['id']
  const [transfer] = await world.transfersOf(id)
  await world.bank.control('POST', `/transfers/${transfer?.['id']}/advance`, { state: 'payment_processed' })
  await until('the payout is completed', async () => (await eventRowsOf(id))?.length === 4)

  expect(await eventRowsOf(id)).toEqual([
    ['requested', 'pending', `key:${payer.keys.sandbox.slice(0, 19)}`, null],
    ['debited', 'pending', 'service', '153.30 USDC'],
    ['sent', 'processing', 'bank', null],
    ['completed', 'completed', 'bank', null],
  ])
})

test('events of a payout that the bank refused end with the refund', async () => {
  const { body } = await world.pay(payer, { recipient: { bank: { account_number: '12340000' } } })
  const [transfer] = await world.transfersOf(body['id'])
  await world.bank.control('POST', `/transfers/${transfer?.['id']}/advance`, { state: 'refunded' })
  await until('the refund is in the events', async () => (await eventRowsOf(body['id']))?.length === 4)

  expect((await eventRowsOf(body['id']))?.slice(1)).toEqual([
    ['debited', 'pending', 'service', '153.30 USDC'],
    ['failed', 'failed', 'bank', expect.stringMatching(/^invalid_account: /)],
    ['refunded', 'failed', 'service', '153.30 USDC'],
  ])
})

test('events of a second attempt leave out the first attempt, for which the caller got no payout', async () => {
  const request = aRequest()
  const key = `order-${randomUUID()}`
  await world.bank.fault({ kind: 'status', status: 401, match: { method: 'POST', path: '/v0/transfers' } })
  const refused = await world.pay(payer, request, { key })
  const { status, body } = await world.pay(payer, request, { key })

  expect([refused.status, status]).toEqual([502, 201])
  expect((await eventRowsOf(body['id']))?.map(([event]) => event)).toEqual(['requested', 'debited', 'sent'])
})

test('events omit everything that only concerns our operators', async () => {
  const { body } = await world.pay(payer)
  await setAttention(world.api.db, String(body['id']), 'bank_says_in_review')

  const { body: list } = await eventsOf(body['id'])

  expect(JSON.stringify(list)).not.toMatch(/attention|in_review/)
})

test('events of an unknown payout, another partner’s or the other environment’s are 404', async () => {
  const { body } = await world.pay(payer)
  const other = await world.aPayer()
  const answers = await Promise.all([
    eventsOf(body['id'], other.keys.sandbox),
    eventsOf(body['id'], payer.keys.live),
    eventsOf(randomUUID()),
    eventsOf('no-id'),
  ])

  expect(answers.map(({ status, body: { error } }) => `${status} ${error?.code}`)).toEqual(
    Array(4).fill('404 not_found'),
  )
})
