// Refusals of the server in the words of the page: at the field that is wrong, or as advice for this action.
import { expect, test } from '@jest/globals'
import { useAdmin, useDashboard } from '../support/browser/served-dashboard'

const visitor = useAdmin(useDashboard())

test('a second invitation of the same person is explained at the email field', async () => {
  await visitor.go('/dashboard/team?environment=sandbox')
  for (const shown of ['Invitation sent', 'This person is already on your team or has an invitation.']) {
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

test('too much test money is explained at the amount, until the amount changes', async () => {
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

test('a refused field that the form does not show is named in the message', async () => {
  await visitor.go('/dashboard/settings?environment=sandbox')
  await visitor.page.getByLabel('Business name').fill('visit www.northwind.example')
  await visitor.page.getByRole('button', { name: 'Save', exact: true }).click()

  await visitor.page.getByText(/^Name: Must be .*no web address\.$/).waitFor()
  expect(await visitor.page.getByRole('alert').count()).toBe(1)
  await visitor.leave()
})
