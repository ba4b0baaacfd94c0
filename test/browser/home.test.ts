// The home page: the first payout, the setup checklist, the chart, the requests it sends, and dismissed payouts.
import { beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { payout } from '../../db/payouts/payout'
import { aKey, aPartner, aPayoutRow, aSession, changePartner } from '../support/api/fixtures'
import { aMember, aSessionOf } from '../support/browser/fixtures'
import { checkPage, noFindings } from '../support/browser/page-checks'
import { useDashboard } from '../support/browser/served-dashboard'
import type { Visitor } from '../support/browser/visitor'
import { openedForEach } from '../support/opened'
import { until } from '../support/until'

const { api, visit } = useDashboard()
const partner = openedForEach(() => aPartner(api))
let visitor: Visitor
let page: Page

beforeEach(async () => {
  const member = await aMember(api, partner, { email: 'ada@engine.test', role: 'admin' })
  visitor = await visit({ session: await aSessionOf(api, member) })
  page = visitor.page
})

test('the home page polls for the first payout within two seconds, and shows it', async () => {
  await page.clock.install()
  await visitor.go('/dashboard?environment=sandbox')
  await page.getByText('Create your first payout with the API').waitFor()
  await page.clock.pauseAt(Date.now() + 1_000)
  const polled = () => page.waitForResponse('**/v1/payouts?environment=sandbox&limit=6', { timeout: 20_000 })
  const before = polled()
  await until('the page has polled', () =>
    Promise.race([before.then(() => true), page.clock.runFor(100).then(() => false)]),
  )
  await (await before).finished()
  // When this request is answered, the page has handled the poll, so the next one is a whole interval away.
  await page.evaluate("fetch('/healthz').then(() => null)")
  await aPayoutRow(api, partner, { recipientName: 'Ada Lovelace' })

  // Leaves half a second for the poll and the overview. The clock is otherwise stopped, so no slower poll can help.
  await Promise.all([polled(), page.clock.runFor(1_500)])
  await page.clock.resume()
  await page.getByRole('table', { name: 'Payouts' }).getByText('Ada Lovelace').waitFor()
  expect(await page.getByText('Create your first payout with the API').count()).toBe(0)
  await visitor.leave()
})

test('the setup checklist ticks completed steps, links to the others, and can be hidden', async () => {
  await changePartner(api, partner, { verificationStatus: 'not_started' })
  await aPayoutRow(api, partner, { recipientName: 'Ada Lovelace' })
  await visitor.go('/dashboard?environment=sandbox')
  await page.getByText('Set up your account: 3 of 5 done').waitFor()

  const ofMain = page.locator('main').locator('ol > li')
  expect(await ofMain.allTextContents()).toEqual([
    'Verify your business',
    'Top up the wallet (done)',
    'Invite your team (done)',
    'Create an API key',
    'Send your first payout (done)',
  ])
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('home-checklist')
  await ofMain.getByRole('link', { name: 'Create an API key' }).click()
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  await aKey(api, partner, 'sandbox')
  await visitor.go('/dashboard?environment=sandbox')
  await page.getByText('Set up your account: 4 of 5 done').waitFor()
  await page.getByRole('button', { name: 'Hide the checklist' }).click()
  await page.reload()
  await page.getByText('Latest payouts').waitFor()
  await visitor.settled()
  expect(await page.getByText('Set up your account').count()).toBe(0)
  await visitor.leave()
})

test('the chart has a scale, and shows a month’s exact figures on hover, tap and keyboard focus', async () => {
  await aPayoutRow(api, partner, { amountPence: 733_520n, completedAt: api.clock.now() })
  await visitor.go('/dashboard?environment=sandbox')
  const chart = page.getByRole('figure')
  const current = chart.getByRole('button', { name: /so far: £7,335\.20, 1 payout$/ })
  const tooltip = current.getByText('£7,335.20')
  const isShown = () => tooltip.evaluate((element) => getComputedStyle(element).opacity === '1')

  expect(await chart.innerText()).toMatch(/£8K[^]*£4K[^]*£0[^]*£7\.34K/)
  expect(await isShown()).toBe(false)
  await current.hover()
  expect(await isShown()).toBe(true)
  await page.mouse.move(0, 0)
  expect(await isShown()).toBe(false)
  // Like a tap in Safari, this event does not move the focus.
  await current.dispatchEvent('click')
  expect(await isShown()).toBe(true)
  await chart.getByRole('button').first().focus()
  for (let month = 1; month < 12; month++) await page.keyboard.press('ArrowRight')
  expect(await isShown()).toBe(true)
  await current.and(page.locator(':focus')).waitFor()
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('home-chart')
  await visitor.leave()
})

test('the home page reads all figures with one request', async () => {
  await aPayoutRow(api, partner, { recipientName: 'Ada Lovelace' })
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/')) asked.push(new URL(request.url()).pathname)
  })
  await visitor.go('/dashboard?environment=sandbox')
  await page.getByRole('table', { name: 'Payouts' }).getByText('Ada Lovelace').waitFor()

  // Every page also requests the session and the account.
  expect(new Set(asked)).toEqual(new Set(['/v1/auth/session', '/v1/account', '/v1/overview']))
  await visitor.leave()
})

test('the home page polls only the newest payouts, and reads the figures again when one of them has changed', async () => {
  const { id } = await aPayoutRow(api, partner, { status: 'pending', recipientName: 'Pia' })
  await page.clock.install()
  await visitor.go('/dashboard?environment=sandbox')
  await page.getByRole('table', { name: 'Payouts' }).getByText('Pia').waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const poll = async () => {
    const polled = page.waitForResponse('**/v1/payouts?environment=sandbox&limit=6')
    await page.clock.runFor(3_000)
    await polled
  }
  await poll()
  await poll()
  expect(asked).not.toContain('/v1/overview')

  await fail(id)
  await poll()
  await page.getByRole('button', { name: 'Dismiss the failed payout to Pia' }).waitFor()
  expect(asked.filter((path) => path === '/v1/overview')).toHaveLength(1)
  await visitor.leave()
})

test('the home page hides a dismissed payout until its status changes, and shows the next one instead', async () => {
  const minutesAgo = (minutes: number) => new Date(api.clock.now().getTime() - minutes * 60_000)
  const late = await aPayoutRow(api, partner, { status: 'pending', recipientName: 'Pia', createdAt: minutesAgo(20) })
  for (const [age, recipientName] of ['Dora', 'Cleo', 'Ben', 'Amy'].entries())
    await aPayoutRow(api, partner, { status: 'failed', recipientName, createdAt: minutesAgo(30 + age) })
  await visitor.go('/dashboard?environment=sandbox')
  const rows = page.getByRole('main').locator('section', { hasText: 'Needs attention' }).getByRole('listitem')
  const names = () => rows.getByRole('link').locator('.font-medium').allTextContents()
  expect(await names()).toEqual(['Pia', 'Dora', 'Cleo', 'Ben'])

  await page.getByRole('button', { name: 'Dismiss the failed payout to Dora' }).click()
  await page.getByRole('button', { name: 'Dismiss the pending payout to Pia' }).press('Enter')
  await page.getByText('Dismissed. It will reappear if it changes and still needs attention.').waitFor()
  expect(await names()).toEqual(['Cleo', 'Ben', 'Amy'])
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('home-dismissed')
  await page.reload()
  await page.getByText('Needs attention').waitFor()
  expect(await names()).toEqual(['Cleo', 'Ben', 'Amy'])

  await fail(late.id)
  await page.reload()
  await page.getByRole('button', { name: 'Dismiss the failed payout to Pia' }).waitFor()
  await visitor.leave()
})

test('a payout that needs attention has the action of its status, which opens the dialog on its page', async () => {
  const createdAt = new Date(api.clock.now().getTime() - 20 * 60_000)
  const names = { pending: 'Pia', processing: 'Paul', failed: 'Fay', returned: 'Rae' } as const
  for (const status of ['pending', 'processing', 'failed', 'returned'] as const)
    await aPayoutRow(api, partner, { status, recipientName: names[status], createdAt, updatedAt: api.clock.now() })
  const actions = (shown: Page) =>
    shown.locator('section', { hasText: 'Needs attention' }).locator('li a[aria-label]').allTextContents()
  await visitor.go('/dashboard?environment=sandbox')

  expect(await actions(page)).toEqual(['Cancel payout', 'Request trace', 'View', 'View'])
  expect(await checkPage(visitor, 'home-attention-actions')).toEqual(noFindings)
  await page.getByRole('link', { name: 'Request trace of the payout to Paul' }).press('Enter')
  const reason = page.getByRole('dialog', { name: 'Request a trace?' }).getByLabel('Reason')
  await reason.and(page.locator(':focus')).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Cancel payout to Pia' }).click()
  await page.getByRole('dialog', { name: 'Cancel this payout?' }).getByRole('button', { name: 'Keep payout' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.locator('h1:focus').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Cancel payout' }).waitFor()
  await visitor.settled()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.goBack()
  await page.getByRole('link', { name: 'View the failed payout to Fay' }).click()
  await page.locator('h1', { hasText: 'Failed' }).waitFor()
  await visitor.settled()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await visitor.leave()

  const viewer = await visit({ session: await aSession(api, partner, 'viewer') })
  await viewer.go('/dashboard?environment=sandbox')
  expect(await actions(viewer.page)).toEqual(['View', 'View', 'View', 'View'])
  await viewer.page.getByRole('link', { name: 'View the pending payout to Pia' }).click()
  await viewer.page.getByRole('heading', { name: 'Timeline' }).waitFor()
  await viewer.settled()
  expect(await viewer.page.getByRole('dialog').count()).toBe(0)
  await viewer.leave()
})

test('the home page names its four figures for screen readers', async () => {
  await visitor.go('/dashboard?environment=sandbox')

  expect(await page.locator('main dl').first().locator('dt').allTextContents()).toEqual([
    'Wallet balance',
    'Paid this month',
    'Payouts this month',
    'Payout fees this month',
  ])
  await visitor.leave()
})

/** A browser global, for the function that `evaluate` runs in the page. */
declare const getComputedStyle: (element: unknown) => { readonly opacity: string }

async function fail(id: string): Promise<void> {
  const failed = { status: 'failed', failureReason: 'invalid_account: The bank rejected the account details.' } as const
  await api.db.dataSource.getRepository(payout).update({ id }, { ...failed, updatedAt: api.clock.now() })
}
