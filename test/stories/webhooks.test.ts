// The bank's events are a reason to ask it and nothing else: lost, doubled, late, forged or in disorder, they do no harm.
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { Json } from '../sandbox-bank/bank-client'
import { openWorld, type World } from './world'

// A machine that does other things too is slow, and that is no fault of a story's.
jest.setTimeout(120_000)

let world: World

beforeAll(async () => {
  // The bank is not asked again by itself for ten minutes: what is settled here was settled by an event.
  world = await openWorld({ env: { PAYOUT_POLL_MS: '600000' } })
  // The bank is told our address by the worker, which does not wait for it.
  await world.bankKnowsUs()
})
afterEach(async () => {
  await world.bank.control('DELETE', '/faults')
  await world.judge()
})
afterAll(() => world.close())

test('an event settles a payout that is not asked for', async () => {
  const { body } = await world.pay()

  expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
})

describe('it is settled all the same, once, when events are', () => {
  const faults: readonly [string, Json][] = [
    ['doubled', { kind: 'webhook_duplicate', copies: 5, times: null }],
    ['in disorder', { kind: 'webhook_reorder', times: 1 }],
    ['badly signed at first', { kind: 'webhook_bad_signature', times: 3 }],
    ['too old at first', { kind: 'webhook_expired', times: 3 }],
    ['late', { kind: 'webhook_late', ms: 300, times: 2 }],
  ]

  test.each(faults)('%s', async (_, fault) => {
    const id = await world.bank.fault(fault)

    const { body } = await world.pay()

    expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
    expect((await world.bank.counts(id)).fired).toBeGreaterThan(0)
    const sets = await world.db.dataSource.query<Json[]>(
      'SELECT cause FROM ledger_sets WHERE payout_id = $1 ORDER BY cause',
      [body.id],
    )
    expect(sets.map(({ cause }) => cause)).toEqual(['debit', 'paid_out'])
  })
})

test('an event can beat the answer: the payout is found by our reference', async () => {
  await world.bank.fault({ kind: 'hang', stage: 'after', times: 1, match: { method: 'POST', path: '/v0/transfers' } })

  const { body } = await world.pay()

  expect(body.status).toBe('pending')
  expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
})

test('a forged event is refused and moves nothing', async () => {
  const { body } = await world.pay()
  await world.settled(body.id)
  const event = { event_id: 'evt_forged', event_category: 'transfer', event_object_id: 'tr_forged' }
  const forged = { ...event, event_object_status: 'refunded', event_object: { client_reference_id: body.id } }

  const answer = await world.send('/webhooks/bank', forged, {
    'X-Webhook-Signature': `t=${Date.now()},v0=${Buffer.from('forged').toString('base64')}`,
  })

  expect(answer.status).toBe(400)
  const events = await world.db.dataSource.query<Json[]>(`SELECT 1 FROM bank_events WHERE event_id = 'evt_forged'`)
  expect(events).toEqual([])
  expect(await world.row(body.id)).toMatchObject({ status: 'completed' })
})
