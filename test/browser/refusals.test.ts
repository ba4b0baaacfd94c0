// How pages show the server's errors: at the invalid field, or as one message for the whole action.
import { expect, test } from '@jest/globals'
import { useAdmin, useDashboard } from '../support/browser/served-dashboard'

const visitor = useAdmin(useDashboard())

test('the error for a duplicate invitation is shown at the email field', async () => {
  await visitor.go('/dashboard/team?environment=sandbox')
  for (const shown of ['Invitation sent', 'This person is already on your team or has already been invited.']) {
    await visitor.page.getByRole('button', { name: 'Invite' }).click()
    await visitor.page.getByLabel('Work email').fill('grace@northwind.example')
    await visitor.page.getByRole('button', { name: 'Send invitation' }).click()
    await visitor.page.getByText(shown).waitFor()
  }

  expect(await visitor.page.getByLabel('Work email').getAttribute('aria-invalid')).toBe('true')
  expect(await visitor.page.getByRole('dialog').getByRole('alert').count()).toBe(0)
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('invited-twice')
  await visitor.leave()
})

test('the error for too much test money is shown at the amount field until the amount changes', async () => {
  await visitor.go('/dashboard/top-up?environment=sandbox')
  const amount = visitor.page.getByLabel('Amount (USDC)')
  await amount.fill('100000.01')
  await visitor.page.getByRole('button', { name: 'Add test money' }).click()

  await visitor.page.getByText('Must be from 1.00 to 100,000.00.').waitFor()
  expect(await amount.getAttribute('aria-invalid')).toBe('true')
  expect(await visitor.page.getByRole('alert').count()).toBe(0)
  await visitor.picture('too-much-test-money')
  await amount.fill('100000')
  await visitor.page.getByText('Must be from 1.00 to 100,000.00.').waitFor({ state: 'detached' })
  await visitor.leave()
})

test('an amount above the balance shows the shortfall, with a link to top up', async () => {
  await visitor.go('/dashboard/send?environment=sandbox')
  await visitor.page.getByLabel('Amount (GBP)').fill('20000')

  await visitor.page.getByText('Not enough in your wallet').waitFor()
  await visitor.page.getByText(/^You need \d\d,\d{3}\.\d\d USDC more\.$/).waitFor()
  expect(await visitor.faults()).toEqual([])
  await visitor.page.getByRole('main').getByRole('link', { name: 'Top up' }).click()
  await visitor.page.getByRole('heading', { name: 'Top up' }).waitFor()
  await visitor.leave()
})

test('a live wallet offers no test money if the bank is not simulated', async () => {
  await visitor.go('/dashboard/top-up?environment=live')

  await visitor.page.getByRole('heading', { name: 'Send USDC' }).waitFor()
  expect(await visitor.page.getByRole('button', { name: 'Add test money' }).count()).toBe(0)
  await visitor.leave()
})

test('an error that the form cannot show at a field names the field in its message', async () => {
  await visitor.go('/dashboard/settings?environment=sandbox')
  await visitor.page.getByLabel('Business name').fill('visit www.northwind.example')
  await visitor.page.getByRole('button', { name: 'Save', exact: true }).click()

  await visitor.page.getByText(/^Name: Must be .*no web address\.$/).waitFor()
  expect(await visitor.page.getByRole('alert').count()).toBe(1)
  await visitor.leave()
})
