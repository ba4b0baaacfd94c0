// Changes that need an emailed code, in a real browser: settings, admins and live keys.
import { beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { issueCode } from '../../../db/sign-in/codes'
import { testKeyring } from '../../support/api/client'
import { confirmMails } from '../../support/api/confirmed'
import { wrongCode } from '../../support/api/people'
import { aSessionOf, useTeam } from '../../support/browser/fixtures'
import { useDashboard } from '../../support/browser/served-dashboard'
import { until } from '../../support/until'

const dashboard = useDashboard()
const { api, visit } = dashboard
const { ada, grace, visitor } = useTeam(dashboard)
let page: Page

beforeEach(() => {
  page = visitor.page
})

test('an admin saves the settings, and the audit log shows who changed which fields, but not the values', async () => {
  await visitor.go('/dashboard/settings?environment=sandbox')
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  await page.getByLabel('Business name').fill('Northwind Trading Ltd')
  await page.getByLabel('Billing email').fill('bills@northwind.example')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await enterCode('Save', 'confirm-settings')
  await page.getByText('Changes saved', { exact: true }).waitFor()
  await page.getByText('“Northwind Trading Ltd” is awaiting our approval.').waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByText('Northwind Market Ltd').waitFor()

  await visitor.go('/dashboard/settings?environment=sandbox')
  expect(await page.getByLabel('Billing email').inputValue()).toBe('bills@northwind.example')
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  const entry = page.getByRole('row').filter({ hasText: 'account.update' })
  expect(await entry.textContent()).toContain(ada.email)
  expect(await entry.textContent()).toContain('name, billing_email')
  expect(await page.getByText('bills@northwind.example').count()).toBe(0)
  await visitor.leave()
})

test('an admin makes a viewer an admin, which applies from the viewer’s next request', async () => {
  const hers = await visit({ session: await aSessionOf(api, grace) })
  await hers.go('/dashboard/keys?environment=sandbox')
  expect(await hers.page.getByRole('button', { name: 'Create key' }).count()).toBe(0)

  await visitor.go('/dashboard/team?environment=sandbox')
  await promote()
  await enterCode('Make admin', 'confirm-promotion')
  await page.getByText('Role updated').waitFor()
  await hers.page.reload()

  await hers.page.getByRole('button', { name: 'Create key' }).first().waitFor()
  await hers.leave()
  await visitor.leave()
})

test('an admin invites an admin with an emailed code, and sees an error for a wrong one', async () => {
  await inviteAdmin('new@northwind.example')
  const right = await mailedCode()
  await page.getByLabel('Six-digit code').fill(wrongCode(right))
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('That code isn’t valid').waitFor()
  expect(await visitor.faults()).toEqual([])
  await enterCode('Send invitation', 'confirm-invitation')

  await page.getByText('Invitation sent').waitFor()
  await page.getByRole('row').filter({ hasText: 'new@northwind.example' }).waitFor()
  await visitor.leave()
})

test('an admin requests another code after a pause, which replaces the message about a wrong one', async () => {
  const dialog = page.getByRole('dialog')
  await page.clock.install()
  await inviteAdmin('new@northwind.example')
  await dialog.getByText('We emailed a code to').waitFor()
  const first = await mailedCode()
  await dialog.getByLabel('Six-digit code').fill(wrongCode(first))
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  await dialog.getByText('That code isn’t valid').waitFor()
  expect(await dialog.getByRole('button', { name: /^Resend in \d+ s$/ }).isDisabled()).toBe(true)

  await page.clock.runFor(30_000)
  await dialog.getByRole('button', { name: 'Resend code' }).click()
  await dialog.getByText('We emailed a new code to').waitFor()
  expect(await dialog.getByText(/That code isn’t valid|We emailed a code/).count()).toBe(0)
  expect(await dialog.getByRole('button', { name: /^Resend in \d+ s$/ }).isDisabled()).toBe(true)
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('confirm-resent')

  const second = await until('a second code was emailed', async () => {
    const codes = (await confirmMails(api)).filter(({ address }) => address === ada.email).map(({ code }) => code)
    return codes.length === 2 ? codes.find((code) => code !== first) : undefined
  })
  await page.keyboard.type(second)
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('Invitation sent').waitFor()
  await visitor.leave()
})

test('an admin sees how long to wait after too many codes, and that no code was sent', async () => {
  const at = new Date(api.clock.now().getTime() - 50 * 60_000)
  const code = { purpose: 'confirm', subject: ada.id, boundTo: Buffer.alloc(32), perHour: 20, at } as const
  for (let sent = 0; sent < 20; sent++) await api.db.transaction((tx) => issueCode(tx, testKeyring, code))
  await inviteAdmin('new@northwind.example')
  const dialog = page.getByRole('dialog')

  await dialog.getByText('We couldn’t send the code').waitFor()
  await dialog.getByText(/Too many attempts\. Try again in (9|10) minutes\./).waitFor()
  expect(await dialog.getByText('We emailed').count()).toBe(0)
  expect(await dialog.getByRole('button', { name: /^Resend in (9|10) min$/ }).isDisabled()).toBe(true)
  expect(await visitor.faults()).toEqual([])
  await visitor.picture('confirm-too-many')
  await visitor.leave()
})

test('an admin creates a live key with an emailed code', async () => {
  await visitor.go('/dashboard/keys?environment=live')
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Label').fill('Shop server')
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await enterCode('Create live key', 'confirm-key')

  expect(await page.getByTestId('secret').textContent()).toMatch(/^kp_live_[0-9a-f]{48}$/)
  await visitor.leave()
})

test('an admin sees no old error after cancelling a confirmation by code', async () => {
  const confirmWrongly = async (button: string) => {
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Six-digit code').fill(wrongCode(await mailedCode()))
    await dialog.getByRole('button', { name: button }).click()
    await dialog.getByText('That code isn’t valid').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
  }
  await visitor.go('/dashboard/team?environment=sandbox')
  await promote()
  await confirmWrongly('Make admin')
  await promote()
  await page.getByText('It only works for').waitFor()
  expect(await page.getByText('That code isn’t valid').count()).toBe(0)

  await visitor.go('/dashboard/settings?environment=sandbox')
  await page.getByLabel('Billing email').fill('bills@northwind.example')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await confirmWrongly('Save')
  expect(await page.getByRole('alert').count()).toBe(0)
  await visitor.leave()
})

/** Waits until a code was emailed to Ada, and returns the newest. */
async function mailedCode(): Promise<string> {
  return until('a code was emailed', async () => {
    return (await confirmMails(api)).findLast(({ address }) => address === ada.email)?.code
  })
}

/** Changes Grace's role, and confirms that a code may be emailed for it. */
async function promote(): Promise<void> {
  await page.getByLabel(`Role of ${grace.email}`).selectOption('admin')
  const dialog = page.getByRole('dialog', { name: `Make ${grace.email} an admin?` })
  await dialog.getByRole('button', { name: 'Email me a code' }).click()
}

/** Fills in an invitation of an admin, and asks for the code that it needs. */
async function inviteAdmin(email: string): Promise<void> {
  await visitor.go('/dashboard/team?environment=sandbox')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByLabel('Work email').fill(email)
  await page.getByLabel('Role', { exact: true }).selectOption('admin')
  await page.getByRole('button', { name: 'Email me a code' }).click()
}

async function enterCode(button: string, picture: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It only works for').waitFor()
  expect(await visitor.faults()).toEqual([])
  await dialog.getByLabel('Six-digit code').fill(await mailedCode())
  await visitor.picture(picture)
  await dialog.getByRole('button', { name: button }).click()
}
