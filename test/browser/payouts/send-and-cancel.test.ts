// Sending and cancelling a payout in a real browser. A cancel comes in time, too late, or while no worker runs, and the
// page never shows an unconfirmed result as final.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { payoutWorkflowId } from '../../../workflows/names'
import { aSession } from '../../support/api/fixtures'
import { type Payer, usePayoutWorld } from '../../support/api/payout-world'
import type { Json } from '../../support/bank/client'
import { checkPage, noFindings } from '../../support/browser/page-checks'
import { useBrowser } from '../../support/browser/served-dashboard'
import { fillPayout } from '../../support/browser/steps'
import { aVisitor, desktop, type Visitor } from '../../support/browser/visitor'
import { until } from '../../support/until'

const toCustomers = { method: 'POST', path: '/v0/customers/*' }
const held = useBrowser()
// No poll happens within a test, so only the cancel wakes the workflow.
const world = usePayoutWorld({ publicUrl: 'http://localhost', payouts: { pollMs: [600_000] } })
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

test('a business has one name, and the review shows the texts that the bank receives', async () => {
  const { page } = visitor
  const name = 'The Worshipful Company of Haberdashers Ltd'
  await visitor.go('/dashboard/send?environment=sandbox')
  await fillPayout(page, { amount: '120', name: 'Haberdashers', account: '38291234', type: 'business' })
  await page.getByLabel('Reference').fill('Invoice 1042 – Müller & Söhne')
  await page.getByLabel('Email').fill('accounts@haberdashers.example')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('Enter the full name, at least two words, such as Acme Ltd.').waitFor()
  await page.getByLabel('Business name').and(page.locator(':focus')).waitFor()
  expect(await checkPage(visitor, 'send-business')).toEqual(noFindings)
  await page.setViewportSize(desktop)

  await page.getByLabel('Business name').fill(' The Worshipful  Company of Haberdashers Ltd ')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('Reference the recipient sees').waitFor()
  await visitor.settled()

  expect(await factsOf('You are about to send')).toEqual(
    expect.objectContaining({
      To: name,
      'Name sent to the bank': 'The Worshipful Company of Haberdash',
      'Recipient type': 'Business',
      Email: 'accounts@haberdashers.example',
      'Your reference': 'Invoice 1042 – Müller & Söhne',
      'Reference the recipient sees': 'Invoice 1042 Mulle',
    }),
  )
  expect(await page.locator('[aria-current=step]').innerText()).toMatch(/^2\s+Review$/)
  const heights = ['Edit', 'Send £120.00'].map(async (button) =>
    page.getByRole('button', { name: button }).boundingBox(),
  )
  expect((await Promise.all(heights)).map((box) => box?.height)).toEqual([40, 40])
  expect(await checkPage(visitor, 'send-review-business')).toEqual(noFindings)
  const request = page.waitForRequest((sent) => sent.method() === 'POST' && /v1.payouts\?/.test(sent.url()))
  await page.getByRole('button', { name: 'Send £120.00' }).click()
  expect((await request).postDataJSON().recipient).toMatchObject({
    type: 'business',
    first_name: 'The',
    last_name: 'Worshipful Company of Haberdashers Ltd',
  })
  await page.getByText(`to ${name}, account ending 1234`).waitFor()
  expect((await factsOf('Amount and fees'))['Total with fee']).toBe('£122.19')
})

test('the form marks its required fields for screen readers, and names the optional ones', async () => {
  const { page } = visitor
  await visitor.go('/dashboard/send?environment=sandbox')
  const fields = page.getByRole('main').getByRole('textbox')
  const isRequired = await fields.evaluateAll((inputs: Input[]) =>
    inputs.map(({ labels, required }) => [labels?.[0]?.textContent, required]),
  )

  expect(isRequired.filter(([, required]) => required === false).map(([label]) => label)).toEqual([
    'Referenceoptional',
    'Address line 2optional',
    'Emailoptional',
  ])
  expect(isRequired).toContainEqual(['Account number', true])
  await page.getByLabel('Recipient type').selectOption('Business')
  expect(await page.getByLabel('Business name').getAttribute('required')).toBe('')
  expect(await page.getByLabel('First name').count()).toBe(0)
})

test('a payout that the bank does not have is cancelled and refunded', async () => {
  const { page } = visitor
  await open(await aWaiting('order-in-time', { amount_gbp: '1200.00' }))
  await page.getByRole('button', { name: 'Cancel payout' }).click()
  await visitor.picture('cancel-dialog')
  expect(await visitor.faults()).toEqual([])

  await confirm()

  await page.getByText('Cancelled', { exact: true }).first().waitFor()
  await page.getByText('Refunded to wallet').waitFor()
  await page.getByRole('button', { name: 'Cancel payout' }).waitFor({ state: 'detached' })
  const events = page.getByRole('main').locator('ol > li')
  expect(await events.allInnerTexts()).toEqual([
    expect.stringMatching(/^Requested\s[^]*by API key kp_sandbox_[0-9a-f]{8}$/),
    expect.stringMatching(/^Reserved in wallet\s[^]*1,\d{3}\.\d\d USDC$/),
    expect.stringMatching(/^Cancelled\s[^]*by \S+@\S+$/),
    expect.stringMatching(/^Refunded to wallet\s[^]*1,\d{3}\.\d\d USDC$/),
  ])
  await visitor.settled()
  await visitor.picture('cancelled')
  expect(visitor.complaints).toEqual([])
})

test('choosing to keep the payout does not cancel it', async () => {
  const id = await aWaiting('order-kept')
  await open(id)
  const sent: string[] = []
  visitor.page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
  await visitor.page.getByRole('button', { name: 'Cancel payout' }).click()
  await visitor.page.getByRole('button', { name: 'Keep payout' }).click()
  await visitor.page.getByRole('dialog').waitFor({ state: 'hidden' })

  expect(sent).toEqual([])
  expect(await statusOf(id)).toBe('pending')
})

test('a payout that the bank may have cannot be cancelled, and the page explains that', async () => {
  // The fault applies to every retry, because a successful one could resolve the outcome before the cancel
  // arrives.
  const toTransfers = { method: 'POST', path: '/v0/transfers' }
  await world.bank.fault({ kind: 'reset', stage: 'after', times: null, match: toTransfers })
  const id = String((await world.pay(payer)).body['id'])
  await open(id)
  await visitor.page.getByRole('button', { name: 'Cancel payout' }).click()

  await confirm()

  await visitor.page.getByText('Too late to cancel').waitFor()
  await visitor.page.getByText('The bank may already have this payout').waitFor()
  expect(await visitor.page.getByText('You won’t be charged').count()).toBe(0)
  await visitor.picture('cancel-too-late')
  expect(await visitor.faults()).toEqual([])
  expect(await world.transfersOf(id)).toHaveLength(1)
})

test('if no worker answers the cancel, the page does not claim success and offers a retry', async () => {
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

/** The parts of an input that a function in the page reads. */
interface Input {
  readonly labels: readonly { readonly textContent: string }[] | null
  readonly required: boolean
}

/** The names and values in the card with this heading. */
async function factsOf(heading: string): Promise<Record<string, string>> {
  const card = visitor.page.locator('section').filter({ has: visitor.page.getByRole('heading', { name: heading }) })
  const [names, values] = [await card.locator('dt').allInnerTexts(), await card.locator('dd').allInnerTexts()]
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

async function open(id: string): Promise<void> {
  await visitor.go(`/dashboard/payouts/${id}?environment=sandbox`)
}

const confirm = () => visitor.page.getByRole('dialog').getByRole('button', { name: 'Cancel payout' }).click()

/** A payout acknowledged without a worker. It then waits, because the bank answers customer calls with 503. */
async function aWaiting(idempotencyKey: string, change: Json = {}): Promise<string> {
  await world.stopWorkers()
  const id = String((await world.pay(payer, change, { key: idempotencyKey })).body['id'])
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
