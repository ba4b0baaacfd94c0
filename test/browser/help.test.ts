// Help in the dashboard: an email to support that names the failed request, if a support address is configured.
import { expect, test } from '@jest/globals'
import { aPartner, aSession } from '../support/api/fixtures'
import { useDashboard } from '../support/browser/served-dashboard'
import type { Visitor } from '../support/browser/visitor'

const supported = useDashboard({ supportEmail: 'help@payouts.test' })
const alone = useDashboard()

test('the menu offers an email to support that names the latest failed request', async () => {
  const visitor = await anAdmin(supported)
  const { page } = visitor
  await visitor.go('/dashboard/top-up?environment=sandbox')
  const refused = page.waitForResponse(/top-ups/)
  await page.getByLabel('Amount (USDC)').fill('100000.01')
  await page.getByRole('button', { name: 'Add test money' }).click()
  const id = (await refused).headers()['x-request-id'] ?? ''
  await page.getByText('Must be from').waitFor()

  await page.getByRole('button', { name: /Signed in as/ }).click()
  const mail = new URL((await page.getByRole('menuitem', { name: 'Contact support' }).getAttribute('href')) ?? '')

  expect(id).not.toBe('')
  expect(decodeURIComponent(mail.pathname)).toBe('help@payouts.test')
  expect(mail.searchParams.get('body')).toContain(`Request ID: ${id}`)
  expect(await page.getByRole('menuitem', { name: 'API documentation' }).getAttribute('href')).toBe('/docs')
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('help-menu')
  await visitor.leave()
})

test('a search for help finds the contact and the documentation', async () => {
  const visitor = await anAdmin(supported)
  const { page } = visitor
  await visitor.go('/dashboard?environment=sandbox')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('help')
  await page.getByRole('option', { name: 'Contact support' }).waitFor()

  expect(await page.getByRole('option').allTextContents()).toEqual(['Contact support', 'API documentation'])
  await page.keyboard.press('ArrowDown')
  const [opened] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')])
  expect(new URL(opened.url()).pathname).toBe('/docs')
  await visitor.leave()
})

test('an error that only support can resolve links to support', async () => {
  const visitor = await anAdmin(supported)
  await failKeys(visitor)

  const href = await visitor.page
    .getByRole('alert')
    .first()
    .getByRole('link', { name: 'Contact support' })
    .getAttribute('href')

  expect(href).toMatch(/^mailto:help%40payouts\.test\?.*Request%20ID%3A%20req-of-keys$/)
  await visitor.leave()
})

test('without a support address, the menu has no support link, and an error does not mention support', async () => {
  const visitor = await anAdmin(alone)
  const { page } = visitor
  await failKeys(visitor)

  expect(await page.getByRole('alert').first().textContent()).not.toMatch(/support/i)
  await page.getByRole('button', { name: /Signed in as/ }).click()
  await page.getByRole('menuitem', { name: 'API documentation' }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Contact support' }).count()).toBe(0)
  await visitor.leave()
})

async function anAdmin({ api, visit }: ReturnType<typeof useDashboard>): Promise<Visitor> {
  return visit({ session: await aSession(api, await aPartner(api), 'admin') })
}

/** Opens the keys page. The request for its list fails as if the account were suspended. */
async function failKeys(visitor: Visitor): Promise<void> {
  const error = { code: 'partner_not_active', message: 'The account is not active.' }
  await visitor.page.route(/\/v1\/keys\?/, (route) =>
    route.fulfill({ status: 403, headers: { 'X-Request-Id': 'req-of-keys' }, json: { error } }),
  )
  await visitor.go('/dashboard/keys?environment=sandbox')
  await visitor.page.getByText('This account isn’t active').first().waitFor()
}
