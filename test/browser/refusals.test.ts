// Refusals of the server in the words of the page: at the field that is wrong, or as advice for this action.
import { beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { aPartner, aSession } from '../support/api/fixtures'
import { useDashboard } from '../support/browser/served-dashboard'
import type { Visitor } from '../support/browser/visitor'

const { api, visit } = useDashboard()
let visitor: Visitor
let page: Page

beforeEach(async () => {
  visitor = await visit({ session: await aSession(api, await aPartner(api), 'admin') })
  page = visitor.page
})

test('a second invitation of the same person is explained at the email field', async () => {
  await visitor.go('/dashboard/team?environment=sandbox')
  for (const shown of ['Invitation sent', 'This person is already on your team or has an invitation.']) {
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Work email').fill('grace@northwind.example')
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText(shown).waitFor()
  }

  expect(await page.getByLabel('Work email').getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0)
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('invited-twice')
  await visitor.leave()
})

test('too much test money is explained at the amount, until the amount changes', async () => {
  await visitor.go('/dashboard/top-up?environment=sandbox')
  const amount = page.getByLabel('Amount (USDC)')
  await amount.fill('100000.01')
  await page.getByRole('button', { name: 'Add test money' }).click()

  await page.getByText('Must be from 1.00 to 100,000.00.').waitFor()
  expect(await amount.getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByRole('alert').count()).toBe(0)
  await visitor.picture('too-much-test-money')
  await amount.fill('100000')
  await page.getByText('Must be from 1.00 to 100,000.00.').waitFor({ state: 'detached' })
  await visitor.leave()
})

test('a refused field that the form does not show is named in the message', async () => {
  await visitor.go('/dashboard/settings?environment=sandbox')
  await page.getByLabel('Business name').fill('visit www.northwind.example')
  await page.getByRole('button', { name: 'Save', exact: true }).click()

  await page.getByText(/^Name: Must be .*no web address\.$/).waitFor()
  expect(await page.getByRole('alert').count()).toBe(1)
  await visitor.leave()
})
