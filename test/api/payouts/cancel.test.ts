// POST /v1/payouts/{id}/cancel: possible while a payout is pending and provably not at the bank.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { recordPayoutEvent } from '../../../db/payouts/events'
import { payoutWorkflowId } from '../../../workflows/names'
import type { Answer } from '../../support/api/client'
import { changePartner } from '../../support/api/fixtures'
import { type Payer, type PayoutWorld, usePayoutWorld } from '../../support/api/payout-world'
import { until } from '../../support/bank/client'

const toCustomers = { method: 'POST', path: '/v0/customers/*' }
// No poll happens within a test, so only the cancel wakes the workflow.
const world = usePayoutWorld({ payouts: { pollMs: [600_000] } })
let payer: Payer

beforeEach(async () => {
  payer = await world.aPayer()
})
afterEach(() => world.bank.control('DELETE', '/faults'))
test('a pending payout that never reached the bank is cancelled immediately and refunded', async () => {
  const before = await balance()
  const id = await aWaiting('order-waiting')

  const answer = await cancel(id)
  await world.bank.control('DELETE', '/faults')

  expect([answer.status, answer.body['id'], answer.body['status']]).toEqual([200, id, 'cancelled'])
  expect(await balance()).toBe(before)
  expect(await world.transfersOf(id)).toEqual([])
  expect(await statusOf(id)).toBe('cancelled')
})

test('cancelling again is 409 with the status cancelled', async () => {
  const id = await aWaiting('order-repeated')
  await cancel(id)

  expect(await outcomeOf(cancel(id))).toEqual([409, 'invalid_state', { status: 'cancelled' }])
})

test('two concurrent cancels take effect once', async () => {
  const before = await balance()
  const id = await aWaiting('order-two-at-once')

  const answers = await Promise.all([cancel(id), cancel(id)])

  expect(answers.map(({ body }) => body['status'] ?? body['error'])).toEqual(['cancelled', 'cancelled'])
  expect(await balance()).toBe(before)
  const asked = `SELECT made_by FROM payout_events WHERE payout_id = $1 AND kind = 'cancel_asked'`
  expect(await world.api.db.dataSource.query(asked, [id])).toHaveLength(1)
})

test('a payout whose workflow is gone gets a new workflow, which handles the cancel before it sends anything', async () => {
  const before = await balance()
  await world.stopWorkers()
  const id = String((await world.pay(payer, {}, { key: 'order-workflow-gone' })).body['id'])
  const workflowId = idOf('order-workflow-gone')
  await world.temporal.workflow.getHandle(workflowId).terminate()
  await world.startWorkers()

  const answer = await cancel(id)

  expect([answer.status, answer.body['status']]).toEqual([200, 'cancelled'])
  expect(await world.transfersOf(id)).toEqual([])
  expect(await balance()).toBe(before)
})

test('a cancel is answered with 503 while no worker is running, and the payout is unchanged', async () => {
  await world.stopWorkers()
  const id = String((await world.pay(payer, {}, { key: 'order-nobody-there' })).body['id'])

  const answer = await cancel(id)
  const statusBefore = await statusOf(id)
  await world.startWorkers()

  expect([answer.status, answer.body['error']]).toEqual([503, expect.objectContaining({ code: 'service_unavailable' })])
  expect(answer.headers.get('Retry-After')).not.toBeNull()
  expect(statusBefore).toBe('pending')
  await until('the cancel was decided', async () => (await statusOf(id)) !== 'pending')
})

test('cancelling a payout that is at the bank is 409 with its status, and the payout continues', async () => {
  const id = String((await world.pay(payer)).body['id'])

  expect(await outcomeOf(cancel(id))).toEqual([409, 'invalid_state', { status: 'processing' }])
  expect(await world.transfersOf(id)).toHaveLength(1)
})

test('cancelling a payout that may be at the bank is 409 with the status pending', async () => {
  // Every retry also loses its response. Otherwise a retry could resolve the outcome before the cancel arrives.
  const toTransfers = { method: 'POST', path: '/v0/transfers' }
  await world.bank.fault({ kind: 'reset', stage: 'after', times: null, match: toTransfers })
  const id = String((await world.pay(payer)).body['id'])

  expect(await outcomeOf(cancel(id))).toEqual([409, 'invalid_state', { status: 'pending' }])
})

test('a suspended partner can cancel a payout, because a cancel sends no money', async () => {
  const id = await aWaiting('order-suspended')
  await changePartner(world.api, payer, { status: 'suspended' })

  expect((await cancel(id)).status).toBe(200)
})

test('the activity list shows who cancelled the payout', async () => {
  const id = await aWaiting('order-activity')
  await cancel(id)

  const { body } = await world.api.get('/v1/activity', { key: payer.keys.sandbox })
  expect(body.data?.filter(({ action }) => action === 'payout.cancel')).toEqual([
    expect.objectContaining({
      status: 200,
      by: `key:${payer.keys.sandbox.slice(0, 19)}`,
      environment: 'sandbox',
    }),
  ])
})

test('the timeline shows who cancelled the payout, and no operator by name', async () => {
  const byKey = await aWaiting('order-timeline')
  await cancel(byKey)
  await world.api.db.transaction((tx) =>
    recordPayoutEvent(tx, { payoutId: byKey, at: new Date(), kind: 'cancel_asked', madeBy: 'ops:late', detail: null }),
  )
  const inTemporal = await aWaiting('order-timeline-temporal')
  await world.temporal.workflow.getHandle(idOf('order-timeline-temporal')).cancel()
  await until('it is cancelled', async () => (await statusOf(inTemporal)) === 'cancelled')

  expect(await cancellerOf(byKey)).toBe(`key:${payer.keys.sandbox.slice(0, 19)}`)
  expect(await cancellerOf(inTemporal)).toBe('service')
})

test('a cancel from the Temporal Web UI also cancels the payout, and the activity list names that source', async () => {
  const id = await aWaiting('order-web-ui')

  await world.temporal.workflow.getHandle(idOf('order-web-ui')).cancel()

  expect(await until('it is cancelled', async () => (await statusOf(id)) === 'cancelled')).toBe(true)
  const activity = await latestActivity(world.api.db, payer.id, 5, { filter: { kind: 'changes', environment: 'both' } })
  expect(activity.filter(({ action }) => action === 'payout.cancel')).toEqual([
    expect.objectContaining({ madeBy: 'ops:temporal', detail: id, environment: 'sandbox' }),
  ])
})

async function cancellerOf(id: string): Promise<unknown> {
  const { body } = await world.api.get(`/v1/payouts/${id}/events`, { key: payer.keys.sandbox })
  return body.data?.find(({ event }) => event === 'cancelled')?.['by']
}

/** A payout acknowledged without a worker. It then waits, because the bank answers customer calls with 503. */
async function aWaiting(key: string): Promise<string> {
  await world.stopWorkers()
  const id = String((await world.pay(payer, {}, { key })).body['id'])
  await world.bank.fault({ kind: 'status', status: 503, times: null, match: toCustomers })
  await world.startWorkers()
  const handle = world.temporal.workflow.getHandle(idOf(key))
  await until('it waits for the bank', async () => /TIMER_STARTED/.test(await eventsOf(handle)))
  return id
}

async function eventsOf(handle: ReturnType<PayoutWorld['temporal']['workflow']['getHandle']>): Promise<string> {
  const { events } = await handle.fetchHistory()
  return (events ?? []).map((event) => (event.timerStartedEventAttributes ? 'TIMER_STARTED' : '')).join(' ')
}

function idOf(idempotencyKey: string): string {
  return payoutWorkflowId({ environment: 'sandbox', partnerId: payer.id, idempotencyKey, attempt: 1 })
}

function cancel(id: string): Promise<Answer> {
  return world.api.post(`/v1/payouts/${id}/cancel`, undefined, { key: payer.keys.sandbox })
}

async function outcomeOf(answer: Promise<Answer>): Promise<unknown[]> {
  const { status, body } = await answer
  const error = JSON.parse(JSON.stringify(body['error']))
  return [status, error.code, error.details]
}

async function statusOf(id: string): Promise<unknown> {
  return (await world.api.get(`/v1/payouts/${id}`, { key: payer.keys.sandbox })).body['status']
}

async function balance(): Promise<unknown> {
  return (await world.api.get('/v1/balance', { key: payer.keys.sandbox })).body['usdc']
}
