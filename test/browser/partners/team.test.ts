// Changes that admins make to their business and their team, in a real browser, and their effect on the members.
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { aKey } from '../../support/api/fixtures'
import { aSessionOf, useTeam } from '../../support/browser/fixtures'
import { useDashboard } from '../../support/browser/served-dashboard'

const dashboard = useDashboard()
const { api, visit } = dashboard
const { partner, ada, grace, visitor } = useTeam(dashboard)
let page: Page

beforeEach(() => {
  page = visitor.page
})

describe('an admin', () => {
  test('picks the brand colour or types it, and both fields show the same colour', async () => {
    await visitor.go('/dashboard/settings?environment=sandbox')
    const text = page.getByRole('textbox', { name: 'Brand colour optional' })
    const picker = page.getByLabel('Pick a brand colour')
    await text.fill('#A1B2C3')
    expect(await picker.inputValue()).toBe('#a1b2c3')
    await text.fill('#A1B')
    expect(await picker.inputValue()).toBe('#0f766e')

    await picker.fill('#3b5bdb')
    expect(await text.inputValue()).toBe('#3b5bdb')
    await visitor.picture('settings-colour')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Changes saved', { exact: true }).waitFor()
    await page.reload()
    expect(await text.inputValue()).toBe('#3b5bdb')
    await visitor.leave()
  })

  test.each([
    ['Leave team', 'team', () => 'Leave team', 'Cancel'],
    ['Remove', 'team', () => `Remove ${grace.email}`, 'Cancel'],
    ['Revoke key', 'keys', () => 'Revoke test', 'Keep key'],
  ])('sees no old error when opening a dialog again: %s', async (button, path, opens, cancel) => {
    await aSessionOf(api, grace)
    await aKey(api, partner, 'sandbox')
    await visitor.go(`/dashboard/${path}?environment=sandbox`)
    const dialog = page.getByRole('dialog')
    const open = () => page.getByRole('button', { name: opens() }).click()
    await open()
    await page.route('**/v1/**', (route) => route.abort('internetdisconnected'))
    await dialog.getByRole('button', { name: button }).click()
    await dialog.getByText('We couldn’t reach the server').waitFor()
    await page.unroute('**/v1/**')
    await dialog.getByRole('button', { name: cancel }).click()

    await open()
    await dialog.getByRole('button', { name: button }).waitFor()
    expect(await dialog.getByRole('alert').count()).toBe(0)
    await visitor.leave()
  })

  test('sees why the last admin cannot be demoted', async () => {
    await visitor.go('/dashboard/team?environment=sandbox')
    // Removes the other admin, who has never signed in, so that only one admin is left.
    await page.getByRole('button', { name: /^Withdraw invitation to ada@.*\.test$/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText('Invitation withdrawn').waitFor()
    await page.getByLabel(`Role of ${ada.email}`).selectOption('viewer')
    await page.getByRole('dialog').getByRole('button', { name: 'Make viewer' }).click()

    await page.getByText('Role not changed').waitFor()
    await page.getByText(/The last admin can be neither removed nor demoted/).waitFor()
    expect(await page.getByLabel(`Role of ${ada.email}`).inputValue()).toBe('admin')
    await visitor.leave()
  })

  test('must confirm a role change, so that a key press alone changes nothing and emails no code', async () => {
    const changes: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') changes.push(request.url())
    })
    await visitor.go('/dashboard/team?environment=sandbox')
    await page.getByLabel(`Role of ${grace.email}`).press('ArrowUp')
    await page.getByText(`Make ${grace.email} an admin?`).waitFor()
    await visitor.picture('promote')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel(`Role of ${ada.email}`).press('ArrowDown')
    await page.getByText('Make yourself a viewer?').waitFor()
    await visitor.picture('demote-self')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

    expect(changes).toEqual([])
    expect(await page.getByLabel(`Role of ${ada.email}`).inputValue()).toBe('admin')
    await visitor.leave()
  })

  test('sees a label on each action on a phone, which is large enough to touch', async () => {
    await aSessionOf(api, grace)
    await aKey(api, partner, 'sandbox')
    await page.setViewportSize({ width: 390, height: 844 })
    const controls = (): Promise<[string, boolean][]> => page.evaluate(touchTargets)

    await visitor.go('/dashboard/team?environment=sandbox')
    expect(await controls()).toEqual(['Leave', 'Remove', 'Resend', 'Withdraw'].map((name) => [name, true]))
    await visitor.picture('team-phone-actions')
    await visitor.go('/dashboard/keys?environment=sandbox')
    expect(await controls()).toEqual([['Revoke', true]])
    await visitor.picture('keys-phone-actions')
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

  test('removes a member, whose open page then leads to the sign-in page', async () => {
    const hers = await visit({ session: await aSessionOf(api, grace) })
    await hers.go('/dashboard/payouts?environment=sandbox')

    await visitor.go('/dashboard/team?environment=sandbox')
    await page.getByRole('button', { name: `Remove ${grace.email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Team member removed').waitFor()
    await page.getByText(grace.email).waitFor({ state: 'detached' })
    await hers.page.getByRole('link', { name: 'Wallet' }).click()

    await hers.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    expect(hers.page.url()).toMatch(/\/sign-in\?/)
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

  test('who has not signed in can get the invitation again, and its link stops working once the invitation is withdrawn', async () => {
    await visitor.go('/dashboard/team?environment=sandbox')
    await page.getByRole('button', { name: `Resend to ${grace.email}` }).click()
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('team-resend')
    await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click()
    await page.getByText('Invitation sent again').waitFor()

    const hers = await visit()
    await hers.go(`/p/${partner.slug}?invitation=${grace.id}`)
    await hers.page.getByRole('heading', { name: 'Sign in to Northwind Market Ltd' }).waitFor()

    await page.getByRole('button', { name: `Withdraw invitation to ${grace.email}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText('Invitation withdrawn').waitFor()
    await page.getByText(grace.email).waitFor({ state: 'detached' })

    await hers.page.reload()
    await hers.page.getByRole('heading', { name: 'This invitation is no longer valid' }).waitFor()
    expect(await hers.faults()).toEqual([])
    await hers.picture('invitation-withdrawn')
    await hers.page.getByRole('link', { name: 'Sign in to another account' }).click()
    await hers.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(new URL(hers.page.url()).search).toBe('')
    await hers.leave()
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

  test('sees their own sessions, and signs out of another one or of all others', async () => {
    const [phone, tablet] = [
      await aSessionOf(api, ada, 'Safari on iPhone'),
      await aSessionOf(api, ada, 'Chrome on iPad'),
    ]
    await aSessionOf(api, grace, 'Firefox on Linux')
    const statusOf = async (token: string) =>
      (await api.get('/v1/auth/session', { headers: { Cookie: `session=${token}` } })).status
    await visitor.go('/dashboard/settings?environment=sandbox')
    const rows = page.getByRole('list', { name: 'Your sessions' }).getByRole('listitem')
    expect(await rows.filter({ hasText: 'This device' }).textContent()).toMatch(/Signed in .* · Active now$/)
    expect(await rows.filter({ hasText: 'Safari on iPhone' }).textContent()).toMatch(/Last used just now/)
    expect(await rows.count()).toBe(3)
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('settings-sessions-light')

    await page.getByRole('button', { name: 'Sign out: Safari on iPhone' }).click()
    await rows.filter({ hasText: 'Safari on iPhone' }).waitFor({ state: 'detached' })
    expect([await statusOf(phone), await statusOf(tablet)]).toEqual([401, 200])

    await page.getByRole('button', { name: 'Sign out of other sessions' }).click()
    await rows.filter({ hasText: 'Chrome on iPad' }).waitFor({ state: 'detached' })
    expect(await statusOf(tablet)).toBe(401)
    expect(await rows.count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Sign out of other sessions' }).count()).toBe(0)
    await visitor.leave()
  })

  test('signs out everywhere, which also ends the session on another device', async () => {
    const other = await visit({ session: await aSessionOf(api, ada) })
    await other.go('/dashboard/payouts?environment=sandbox')

    await visitor.go('/dashboard/settings?environment=sandbox')
    await page.getByRole('button', { name: 'Sign out of all sessions' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.page.getByRole('link', { name: 'Wallet' }).click()

    await other.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    expect(other.page.url()).toMatch(/\/sign-in\?/)
    await other.leave()
    await visitor.leave()
  })
})

/** The visible label of each button in the table, and whether the button is at least 44 px wide and high. */
const touchTargets = `Array.from(document.querySelectorAll('table button'),
  (button) => [button.innerText, Math.min(button.offsetWidth, button.offsetHeight) >= 44]).sort()`
