// The home page: the first payout, the setup checklist, the chart and the figures.
import { beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { aKey, aPartner, aPayoutRow, changePartner } from '../support/api/fixtures'
import { aMember, aSessionOf } from '../support/browser/fixtures'
import { useDashboard } from '../support/browser/served-dashboard'
import type { Visitor } from '../support/browser/visitor'
import { openedForEach } from '../support/opened'

const { api, visit } = useDashboard()
const partner = openedForEach(() => aPartner(api))
let visitor: Visitor
let page: Page

beforeEach(async () => {
  const member = await aMember(api, partner, { email: 'ada@engine.test', role: 'admin' })
  visitor = await visit({ session: await aSessionOf(api, member) })
  page = visitor.page
})

test('shows the first payout within two seconds', async () => {
  await page.clock.install()
  await visitor.go('/dashboard?environment=sandbox')
  await page.getByText('Make your first payout').waitFor()
  await page.clock.pauseAt(Date.now() + 1_000)
  await aPayoutRow(api, partner, { recipientName: 'Ada Lovelace' })

  // The clock of the page stands still otherwise, so that no slower poll can make the request.
  const asked = page.waitForRequest((request) => request.url().endsWith('/v1/payouts?environment=sandbox&limit=6'))
  await page.clock.runFor(2_000)
  await asked
  await page.clock.resume()
  await page.getByRole('table', { name: 'Payouts' }).getByText('Ada Lovelace').waitFor()
  expect(await page.getByText('Make your first payout').count()).toBe(0)
  await visitor.leave()
})

test('ticks the steps of the setup that are done, and links to the others', async () => {
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

test('shows the exact figures of a month by mouse, touch and keyboard, and a scale', async () => {
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
  await chart.getByRole('button').first().focus()
  for (let month = 1; month < 12; month++) await page.keyboard.press('ArrowRight')
  expect(await isShown()).toBe(true)
  expect(await current.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('home-chart')
  await visitor.leave()
})

test('names its four figures for screen readers', async () => {
  await visitor.go('/dashboard?environment=sandbox')

  expect(await page.locator('main dl').first().locator('dt').allTextContents()).toEqual([
    'Wallet balance',
    'Paid this month',
    'Payouts this month',
    'Payout fees this month',
  ])
  await visitor.leave()
})

/** These exist in the page, where evaluated functions run. */
declare const getComputedStyle: (element: unknown) => { readonly opacity: string }
declare const document: { readonly activeElement: unknown }
