// Cancelling in a real browser: in time, too late, and without a worker. The page never claims more than is known.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { payoutWorkflowId } from '../../../workflows/names'
import { aSession } from '../../support/api/fixtures'
import { type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { useBrowser } from '../../support/browser/served-dashboard'
import { aVisitor, type Visitor } from '../../support/browser/visitor'
import { until } from '../../support/until'

const toCustomers = { method: 'POST', path: '/v0/customers/*' }
const held = useBrowser()
// No poll happens within a test, so only the cancel wakes the workflow.
const world = usePayoutWorld({ publicUrl: 'http://localhost', payouts: { pollMs: [600_000], answerTimeoutMs: 3_000 } })
let payer: Payer
let visitor: Visitor

beforeEach(async () => {
  payer = await world.aPayer()
  visitor = await aVisitor(held.browser, world.api.url, { session: await aSession(world.api, payer, 'admin') })
})
afterEach(async () => {
  await visitor.leave()
  await world.bank.control('DELETE', '/faults')
})

test('a payout that the bank does not have is cancelled and refunded', async () => {
  const { page } = visitor
  await open(await aWaiting('order-in-time'))
  await page.getByRole('button', { name: 'Cancel payout' }).click()
  await visitor.picture('cancel-dialog')
  expect(await visitor.faults()).toEqual([])

  await confirm()

  await page.getByText('Cancelled', { exact: true }).first().waitFor()
  await page.getByText('Refunded to wallet').waitFor()
  await page.getByRole('button', { name: 'Cancel payout' }).waitFor({ state: 'detached' })
  await visitor.settled()
  await visitor.picture('cancelled')
  expect(visitor.complaints).toEqual([])
})

test('a user who chooses to keep the payout cancels nothing', async () => {
  const id = await aWaiting('order-kept')
  await open(id)
  await visitor.page.getByRole('button', { name: 'Cancel payout' }).click()
  await visitor.page.getByRole('button', { name: 'Keep payout' }).click()

  expect(await statusOf(id)).toBe('pending')
})

test('a payout that the bank may have cannot be cancelled, and the page says so', async () => {
  // The answer to every repeat is lost too. Otherwise one could resolve the outcome before the cancel arrives.
  const toTransfers = { method: 'POST', path: '/v0/transfers' }
  await world.bank.fault({ kind: 'reset', stage: 'after', times: null, match: toTransfers })
  const id = String((await world.pay(payer)).body['id'])
  await open(id)
  await visitor.page.getByRole('button', { name: 'Cancel payout' }).click()

  await confirm()

  await visitor.page.getByText('Too late to cancel').waitFor()
  await visitor.page.getByText('The bank may already have it').waitFor()
  expect(await visitor.page.getByText('You won’t be charged').count()).toBe(0)
  await visitor.picture('cancel-too-late')
  expect(await visitor.faults()).toEqual([])
  expect(await world.transfersOf(id)).toHaveLength(1)
})

test('without a worker the cancel can be repeated, and the page does not claim success', async () => {
  const { page } = visitor
  const id = await aWaiting('order-undecided')
  await world.stopWorkers()
  await open(id)
  await page.getByRole('button', { name: 'Cancel payout' }).click()

  await confirm()
  await page.getByText('We couldn’t confirm the cancellation').waitFor()
  expect(await page.getByText('Payout cancelled', { exact: true }).count()).toBe(0)
  await visitor.picture('cancel-undecided')
  await world.startWorkers()
  await page.getByRole('button', { name: 'Try again' }).click()

  await page.getByText('Payout cancelled', { exact: true }).waitFor()
  expect(await statusOf(id)).toBe('cancelled')
})

async function open(id: string): Promise<void> {
  await visitor.go(`/dashboard/payouts/${id}?environment=sandbox`)
}

const confirm = () => visitor.page.getByRole('dialog').getByRole('button', { name: 'Cancel payout' }).click()

/** A payout that was acknowledged as pending while no worker ran. The bank then answers every call with 503. */
async function aWaiting(idempotencyKey: string): Promise<string> {
  await world.stopWorkers()
  const id = String((await world.pay(payer, {}, { key: idempotencyKey })).body['id'])
  await world.bank.fault({ kind: 'status', status: 503, times: null, match: toCustomers })
  await world.startWorkers()
  const about = { environment: 'sandbox', partnerId: payer.id, idempotencyKey, attempt: 1 } as const
  const handle = world.temporal.workflow.getHandle(payoutWorkflowId(about))
  await until('it waits for the bank', async () => {
    const { events } = await handle.fetchHistory()
    return events?.some((event) => event.timerStartedEventAttributes)
  })
  return id
}

async function statusOf(id: string): Promise<unknown> {
  return (await world.api.get(`/v1/payouts/${id}`, { key: payer.keys.sandbox })).body['status']
}
