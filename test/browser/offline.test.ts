// Without a connection the application stays: pages open, say that they are offline, and keep a half-filled payout.
import { beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { aPartner, aSession } from '../support/api/fixtures'
import { useDashboard } from '../support/browser/served-dashboard'
import type { Visitor } from '../support/browser/visitor'
import { until } from '../support/until'

const { api, visit } = useDashboard()
let visitor: Visitor
let page: Page

beforeEach(async () => {
  visitor = await visit({ session: await aSession(api, await aPartner(api), 'admin') })
  page = visitor.page
})

test('a page that was never opened opens offline, and says why it shows no data', async () => {
  await visitor.go('/dashboard?environment=sandbox')
  await until('the idle browser has loaded all pages', () => page.evaluate(hasLoadedAuditLog))
  const opened = await timeOrigin()

  await page.context().setOffline(true)
  await page.getByText(/You’re offline\. Showing data from \d\d:\d\d$/).waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()

  await page.getByRole('heading', { name: 'Audit log' }).waitFor()
  await page.getByText('This loads when you’re back online.').waitFor()
  expect(await page.getByRole('main').locator('[aria-busy=true]').count()).toBe(0)
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('offline')

  await page.context().setOffline(false)
  await page.getByText('You’re offline').first().waitFor({ state: 'detached' })
  await page.getByRole('table').waitFor()
  expect(await timeOrigin()).toBe(opened)
  await visitor.leave()
})

test('a page that cannot be loaded leaves the application and a half-filled payout as they are', async () => {
  page.on('dialog', (dialog) => void dialog.accept())
  await page.route(/assets\/audit-log/, (route) => route.abort('connectionreset'))
  await visitor.go('/dashboard/send?environment=sandbox')
  const opened = await timeOrigin()
  await page.getByLabel('Last name').fill('Hopper')

  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('heading', { name: 'This page couldn’t load' }).waitFor()
  await page.goBack()

  await page.getByText('We kept what you entered').waitFor()
  expect(await page.getByLabel('Last name').inputValue()).toBe('Hopper')
  expect(await timeOrigin()).toBe(opened)
  expect(
    await page.evaluate('JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])'),
  ).not.toContain('Hopper')
  await visitor.leave()
})

const hasLoadedAuditLog = `performance.getEntriesByType('resource').some(({ name }) => /audit-log/.test(name))`

/** A reload changes it. */
function timeOrigin(): Promise<number> {
  return page.evaluate('performance.timeOrigin')
}
