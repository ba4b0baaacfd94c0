// Without a connection the application stays: pages open, say that they are offline, and keep a half-filled payout.
import { expect, test } from '@jest/globals'
import { useAdmin, useDashboard } from '../support/browser/served-dashboard'
import { until } from '../support/until'

const visitor = useAdmin(useDashboard())

test('a page that was never opened opens offline, and says why it shows no data', async () => {
  await visitor.go('/dashboard?environment=sandbox')
  await until('the idle browser has loaded all pages', () => visitor.page.evaluate(hasLoadedAuditLog))
  const opened = await timeOrigin()

  await visitor.page.context().setOffline(true)
  await visitor.page.getByText(/You’re offline\. Showing data from \d\d:\d\d$/).waitFor()
  await visitor.page.getByRole('link', { name: 'Audit log' }).click()

  await visitor.page.getByRole('heading', { name: 'Audit log' }).waitFor()
  await visitor.page.getByText('This loads when you’re back online.').waitFor()
  expect(await visitor.page.getByRole('main').locator('[aria-busy=true]').count()).toBe(0)
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('offline')

  await visitor.page.context().setOffline(false)
  await visitor.page.getByText('You’re offline').first().waitFor({ state: 'detached' })
  await visitor.page.getByRole('table').waitFor()
  expect(await timeOrigin()).toBe(opened)
  await visitor.leave()
})

test('a page that cannot be loaded leaves the application and a half-filled payout as they are', async () => {
  visitor.page.on('dialog', (dialog) => void dialog.accept())
  await visitor.page.route(/assets\/audit-log/, (route) => route.abort('connectionreset'))
  await visitor.go('/dashboard/send?environment=sandbox')
  const opened = await timeOrigin()
  await visitor.page.getByLabel('Last name').fill('Hopper')

  await visitor.page.getByRole('link', { name: 'Audit log' }).click()
  await visitor.page.getByRole('heading', { name: 'This page couldn’t load' }).waitFor()
  await visitor.page.goBack()

  await visitor.page.getByText('We kept what you entered').waitFor()
  expect(await visitor.page.getByLabel('Last name').inputValue()).toBe('Hopper')
  expect(await timeOrigin()).toBe(opened)
  expect(
    await visitor.page.evaluate('JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])'),
  ).not.toContain('Hopper')
  await visitor.leave()
})

const hasLoadedAuditLog = `performance.getEntriesByType('resource').some(({ name }) => /audit-log/.test(name))`

/** A reload changes it. */
function timeOrigin(): Promise<number> {
  return visitor.page.evaluate('performance.timeOrigin')
}
