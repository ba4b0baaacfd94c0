// Changes that admins make to their business and their team, in a real browser, and their effect on the members.
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { confirmMails } from '../../support/api/confirmed'
import { aPartner } from '../../support/api/fixtures'
import { anotherCode } from '../../support/api/people'
import { aMember, aSessionOf } from '../../support/browser/fixtures'
import { useDashboard } from '../../support/browser/served-dashboard'
import type { Visitor } from '../../support/browser/visitor'
import { openedForEach } from '../../support/opened'
import { until } from '../../support/until'

const { api, visit } = useDashboard()
const partner = openedForEach(() => aPartner(api, { name: 'Northwind Market Ltd' }))
const ada = openedForEach(() =>
  aMember(api, partner, { email: `ada@${partner.slug}.example`, role: 'admin', name: 'Ada' }),
)
const grace = openedForEach(() => aMember(api, partner, { email: `grace@${partner.slug}.example`, role: 'viewer' }))
let visitor: Visitor
let page: Page

beforeEach(async () => {
  visitor = await visit({ session: await aSessionOf(api, ada) })
  page = visitor.page
})

/** The newest code that was mailed to Ada, once there is one. */
async function mailedCode(): Promise<string> {
  return until('a code is mailed', async () => {
    return (await confirmMails(api)).findLast(({ address }) => address === ada.email)?.code
  })
}

async function enterCode(button: string, picture: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It only works for').waitFor()
  expect(await visitor.faults()).toEqual([])
  await dialog.getByLabel('Six-digit code').fill(await mailedCode())
  await visitor.picture(picture)
  await dialog.getByRole('button', { name: button }).click()
}

describe('an admin', () => {
  test('saves the settings, and the audit log shows who changed which fields, but not the values', async () => {
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

  test('makes a viewer an admin, effective from their next request', async () => {
    const hers = await visit({ session: await aSessionOf(api, grace) })
    await hers.go('/dashboard/keys?environment=sandbox')
    expect(await hers.page.getByRole('button', { name: 'Create key' }).count()).toBe(0)

    await visitor.go('/dashboard/team?environment=sandbox')
    await page.getByLabel(`Role of ${grace.email}`).selectOption('admin')
    await enterCode('Make admin', 'confirm-promotion')
    await page.getByText('Role updated').waitFor()
    await hers.page.reload()

    await hers.page.getByRole('button', { name: 'Create key' }).first().waitFor()
    await hers.leave()
    await visitor.leave()
  })

  test('invites an admin with a mailed code, and sees that a code is wrong', async () => {
    await visitor.go('/dashboard/team?environment=sandbox')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Work email').fill('new@northwind.example')
    await page.getByLabel('Role', { exact: true }).selectOption('admin')
    await page.getByRole('button', { name: 'Email me a code' }).click()
    const right = await mailedCode()
    await page.getByLabel('Six-digit code').fill(anotherCode(right))
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText('That code isn’t valid').waitFor()
    expect(await visitor.faults()).toEqual([])
    await enterCode('Send invitation', 'confirm-invitation')

    await page.getByText('Invitation sent').waitFor()
    await page.getByRole('row').filter({ hasText: 'new@northwind.example' }).waitFor()
    await visitor.leave()
  })

  test('creates a live key with a mailed code', async () => {
    await visitor.go('/dashboard/keys?environment=live')
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await page.getByLabel('Label').fill('Shop server')
    await page.getByRole('button', { name: 'Email me a code' }).click()
    await enterCode('Create live key', 'confirm-key')

    expect(await page.getByTestId('secret').textContent()).toMatch(/^kp_live_[0-9a-f]{48}$/)
    await visitor.leave()
  })

  test('sees why the last admin cannot be demoted', async () => {
    await visitor.go('/dashboard/team?environment=sandbox')
    // Removes the other admin, who opened the account, so that the last one is left.
    await page.getByRole('button', { name: /^Remove ada@.*\.test$/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Team member removed').waitFor()
    await page.getByLabel(`Role of ${ada.email}`).selectOption('viewer')
    await page.getByRole('dialog').getByRole('button', { name: 'Make viewer' }).click()

    await page.getByText('Role not changed').waitFor()
    await page.getByText(/The last admin can be neither removed nor demoted/).waitFor()
    expect(await page.getByLabel(`Role of ${ada.email}`).inputValue()).toBe('admin')
    await visitor.leave()
  })

  test('must confirm a role change, so that a key press alone changes nothing', async () => {
    const changes: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') changes.push(request.url())
    })
    await visitor.go('/dashboard/team?environment=sandbox')
    await page.getByLabel(`Role of ${grace.email}`).press('ArrowUp')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel(`Role of ${ada.email}`).press('ArrowDown')
    await page.getByText('Make yourself a viewer?').waitFor()
    await visitor.picture('demote-self')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

    expect(changes).toEqual([])
    expect(await page.getByLabel(`Role of ${ada.email}`).inputValue()).toBe('admin')
    await visitor.leave()
  })

  test('can type into a dialog immediately, because its first field has the focus', async () => {
    await visitor.go('/dashboard/team?environment=sandbox')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('new@northwind.example')
    expect(await page.getByLabel('Work email').inputValue()).toBe('new@northwind.example')

    await visitor.go('/dashboard/keys?environment=sandbox')
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('Shop')
    expect(await page.getByLabel('Label').inputValue()).toBe('Shop')
    await visitor.leave()
  })

  test('removes a member, whose open page ends at the sign-in', async () => {
    const hers = await visit({ session: await aSessionOf(api, grace) })
    await hers.go('/dashboard/payouts?environment=sandbox')

    await visitor.go('/dashboard/team?environment=sandbox')
    await page.getByRole('button', { name: `Remove ${grace.email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Team member removed').waitFor()
    await page.getByText(grace.email).waitFor({ state: 'detached' })
    await hers.page.getByRole('link', { name: 'Wallet' }).click()

    await hers.page.waitForURL('**/sign-in?*')
    expect(await hers.page.locator('h1').textContent()).toBe('Sign in')
    await hers.leave()
    await visitor.leave()
  })
})

describe('a member', () => {
  test('is shown as invited until they have signed in', async () => {
    await visitor.go('/dashboard/team?environment=sandbox')
    const row = page.getByRole('row').filter({ hasText: grace.email })
    const mine = page.getByRole('row').filter({ hasText: ada.email })

    expect(await row.getByText('Invited').filter({ visible: true }).count()).toBe(1)
    expect(await mine.getByText('Invited').count()).toBe(0)
    await visitor.picture('team-invited-light')

    await aSessionOf(api, grace)
    await page.reload()
    await row.waitFor()
    expect(await row.getByText('Invited').count()).toBe(0)
    await visitor.leave()
  })

  test('leaves a team, even as a viewer, and is signed out', async () => {
    const hers = await visit({ session: await aSessionOf(api, grace) })
    await hers.go('/dashboard/team?environment=sandbox')
    await hers.page.getByRole('button', { name: 'Leave team' }).click()
    expect(await hers.faults()).toEqual([])
    await hers.picture('team-leave')
    await hers.page.getByRole('dialog').getByRole('button', { name: 'Leave team' }).click()

    await hers.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await visitor.go('/dashboard/team?environment=sandbox')
    expect(await page.getByText(grace.email).count()).toBe(0)
    await hers.go('/dashboard')
    expect(new URL(hers.page.url()).pathname).toBe('/sign-in')
    await hers.leave()
    await visitor.leave()
  })

  test('signs out everywhere: the session of the other device ends too', async () => {
    const other = await visit({ session: await aSessionOf(api, ada) })
    await other.go('/dashboard/payouts?environment=sandbox')

    await visitor.go('/dashboard/settings?environment=sandbox')
    await page.getByRole('button', { name: 'Sign out of all sessions' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.page.getByRole('link', { name: 'Wallet' }).click()

    await other.page.waitForURL('**/sign-in?*')
    expect(await other.page.locator('h1').textContent()).toBe('Sign in')
    await other.leave()
    await visitor.leave()
  })
})
