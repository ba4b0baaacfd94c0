// Without a connection or a session, pages explain the problem and keep a half-filled payout form.
import { expect, test } from '@jest/globals'
import { takeMails } from '../../db/partners/mails'
import { testKeyring } from '../support/api/client'
import { aPartner } from '../support/api/fixtures'
import { aMember } from '../support/browser/fixtures'
import { useAdmin, useDashboard } from '../support/browser/served-dashboard'
import { fillPayout } from '../support/browser/steps'
import { until } from '../support/until'

const dashboard = useDashboard()
const { api } = dashboard
const visitor = useAdmin(dashboard, { preloads: true })

test('a page opens offline even if it was never opened before, and explains why it shows no data', async () => {
  await visitor.go('/dashboard?environment=sandbox')
  await until('the idle browser has loaded all pages', () => visitor.page.evaluate(hasLoadedAuditLog))
  expect(visitor.complaints).toEqual([])
  const opened = await timeOrigin()

  await visitor.page.context().setOffline(true)
  await visitor.page.getByText(/You’re offline\. Showing data from \d\d:\d\d\.$/).waitFor()
  await visitor.page.getByRole('link', { name: 'Audit log' }).click()

  await visitor.page.getByRole('heading', { name: 'Audit log' }).waitFor()
  await visitor.page.getByText('This will load when you’re back online.').waitFor()
  expect(await visitor.page.getByRole('main').locator('[aria-busy=true]').count()).toBe(0)
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('offline')

  await visitor.page.context().setOffline(false)
  await visitor.page.getByText('You’re offline').first().waitFor({ state: 'detached' })
  await visitor.page.getByRole('table').waitFor()
  expect(await timeOrigin()).toBe(opened)
  await visitor.leave()
})

test('a page that cannot be refreshed shows the time of its data', async () => {
  const { page } = visitor
  const openHome = async () => {
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await page.getByRole('link', { name: 'Home' }).click()
  }
  await visitor.go('/dashboard?environment=sandbox')
  await page.route(/v1.overview/, (route) => route.fulfill({ status: 503, json: {} }))
  await openHome()

  await page.getByText(/We couldn’t refresh this page\. Showing data from \d\d:\d\d\.$/).waitFor()
  expect(await visitor.faults()).toEqual([])
  await page.unroute(/v1.overview/)
  await openHome()
  await page.getByText('We couldn’t refresh this page').waitFor({ state: 'detached' })
  await visitor.leave()
})

test('a reload asks before it discards a half-filled payout form', async () => {
  const { page } = visitor
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await visitor.go('/dashboard/send?environment=sandbox')
  await page.getByLabel('Last name').press('Tab')
  await page.reload()
  expect(asked).toEqual([])

  await page.getByLabel('Last name').pressSequentially('Hopper')
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
  await visitor.leave()
})

test('a page that fails to load leaves the application and a half-filled payout form intact', async () => {
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

test.each(['typing', 'sending'])(
  'if the session ends while %s, the same person gets the payout form back after signing in',
  async (when) => {
    const { page } = visitor
    await visitor.go('/dashboard/send?environment=sandbox')
    await fillPayout(page, { amount: '120', name: 'Grace Hopper', account: '38290008' })
    if (when === 'sending') await page.getByRole('button', { name: 'Review' }).click()
    await signOutInAnotherTab()

    if (when === 'sending') await page.getByRole('button', { name: 'Send £120.00' }).click()
    else await page.getByLabel('Amount (GBP)').fill('121')
    await page.getByText('Your session has ended').waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('session-ended')
    await signInAs(await page.getByLabel('Work email').inputValue())

    await page.getByText('We kept what you entered').waitFor()
    expect(await typed()).toEqual([when === 'sending' ? '120' : '121', '', ...restOfForm])
    await visitor.leave()
  },
)

const restOfForm = [
  'individual',
  'Grace',
  'Hopper',
  '12 St James Square',
  '',
  'London',
  'SW1Y 4JH',
  '',
  'Barclays',
  '20-04-15',
  '38290008',
]

test('a half-filled payout form is not shown to another person who signs in', async () => {
  const email = 'katherine@people.test'
  await aMember(api, await aPartner(api), { email, role: 'admin' })
  await visitor.go('/dashboard/send?environment=sandbox')
  await visitor.page.getByLabel('Last name').fill('Hopper')
  await signOutInAnotherTab()
  await visitor.page.getByLabel('Amount (GBP)').fill('120')
  await visitor.page.getByText('Your session has ended').waitFor()

  await signInAs(email)

  await visitor.page.getByRole('button', { name: `Signed in as ${email}` }).waitFor()
  await visitor.page.getByRole('heading', { name: 'Send a payout' }).waitFor()
  expect(new Set(await typed())).toEqual(new Set(['', 'individual']))
  await visitor.leave()
})

test('each environment keeps its own half-filled payout form', async () => {
  const { page } = visitor
  const lastName = page.getByLabel('Last name')
  await visitor.go('/dashboard/send?environment=sandbox')
  await lastName.fill('Hopper')
  await page.getByRole('button', { name: 'Live', exact: true }).click()
  await page.getByRole('button', { name: 'Live', exact: true, pressed: true }).waitFor()
  expect(await lastName.inputValue()).toBe('')
  await lastName.fill('Lovelace')

  await page.getByRole('button', { name: 'Sandbox', exact: true }).click()

  await page.getByRole('button', { name: 'Sandbox', exact: true, pressed: true }).waitFor()
  expect(await lastName.inputValue()).toBe('Hopper')
  await visitor.leave()
})

async function signOutInAnotherTab(): Promise<void> {
  const { page } = visitor
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByRole('button', { name: /^Signed in as/ }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  await other.close()
}

/** Signs in on the sign-in page, which must be open. */
async function signInAs(email: string): Promise<void> {
  const { page } = visitor
  await page.getByLabel('Work email').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  const code = page.getByLabel('Six-digit code')
  await code.waitFor()
  const at = api.clock.now()
  const mails = await takeMails(api.db, testKeyring, { at, leaseUntil: new Date(at.getTime() + 60_000), limit: 100 })
  const subject = mails.find(({ mail }) => mail?.to.address === email)?.mail?.subject ?? ''
  await code.fill(subject.slice(0, 6))
}

/** The values in the payout form, in field order. */
function typed(): Promise<string[]> {
  return visitor.page.evaluate(
    `[...document.querySelectorAll('main form :is(input, select)')].map(({ value }) => value)`,
  )
}

const hasLoadedAuditLog = `performance.getEntriesByType('resource').some(({ name }) => /audit-log/.test(name))`

/** The time at which the page was loaded. A reload changes it. */
function timeOrigin(): Promise<number> {
  return visitor.page.evaluate('performance.timeOrigin')
}
