// Home for a partner without payouts: only the sandbox offers a command that pays, and a new key's secret is not lost.
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { PartnerChanges } from '../../db/partners/partners'
import type { MemberRole } from '../../domain/partners/partner'
import { simulatedRail } from '../../rail/simulated'
import { aPartner, aPayoutRow, aSession } from '../support/api/fixtures'
import { checkPage, noFindings } from '../support/browser/page-checks'
import { useDashboard } from '../support/browser/served-dashboard'
import type { Visitor } from '../support/browser/visitor'

const rails = { simulated: simulatedRail, provider_production: simulatedRail }
const { api, visit } = useDashboard({ rails })

const unverified = { verificationStatus: 'not_started' } as const
const verified = { verificationStatus: 'approved' } as const

test('the sandbox offers a key and a command to paste', async () => {
  const visitor = await newcomer(unverified, 'admin', 'sandbox')

  const line = await visitor.page.getByLabel('Payout with curl').textContent()
  expect(line).toContain('KEY="kp_sandbox_…"')
  expect(await createKeyButtons(visitor)).toBe(1)
  await visitor.leave()
})

test('Home shows a new key until the user confirms that it is saved, despite polls and page changes', async () => {
  const partner = await aPartner(api, unverified)
  const visitor = await visit({ session: await aSession(api, partner, 'admin') })
  const { page } = visitor
  await page.clock.install()
  await visitor.go('/dashboard?environment=sandbox')
  await page.getByRole('button', { name: 'Create sandbox key' }).click()
  const secret = page.getByText(/KEY="kp_sandbox_[0-9a-f]{48}"/)
  await secret.waitFor()

  await aPayoutRow(api, partner, { recipientName: 'Ada Lovelace' })
  await page.clock.runFor(21_000)
  await page.getByRole('table', { name: 'Payouts' }).getByText('Ada Lovelace').waitFor()
  expect(await secret.count()).toBe(1)
  await visitor.picture('home-secret-kept')
  await page.getByRole('link', { name: 'Wallet' }).click()
  await page.getByRole('heading', { name: 'Wallet' }).waitFor()
  await page.getByRole('link', { name: 'Home' }).click()
  await secret.waitFor()

  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await page.getByRole('heading', { name: 'Create your first payout with the API' }).waitFor({ state: 'detached' })
  expect(await secret.count()).toBe(0)
  await visitor.leave()
})

test('the API keys page shows a new key’s secret until the user confirms that it is saved', async () => {
  const visitor = await newcomer(unverified, 'admin', 'sandbox')
  const { page } = visitor
  const secret = page.getByTestId('secret')
  const askedOn = async (leave: string) => {
    const [question] = await Promise.all([page.waitForEvent('dialog'), page.evaluate(`setTimeout(() => ${leave})`)])
    await question.dismiss()
    await page.waitForURL('**/dashboard/keys?*')
    return question.type()
  }
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Label').fill('Shop server')
  await page.getByRole('button', { name: 'Create sandbox key' }).click()
  await secret.waitFor()

  // The browser lets a page prevent only the first of several attempts to close a dialog.
  for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key)
  await secret.waitFor()
  await page.keyboard.press('Control+k')
  expect(await page.getByLabel('Search pages, payouts and invoices').count()).toBe(0)
  expect([await askedOn('history.back()'), await askedOn('location.reload()')]).toEqual(['confirm', 'beforeunload'])

  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await secret.waitFor({ state: 'detached' })
  await page.goBack()
  await page.waitForURL('**/dashboard?*')
  await visitor.leave()
})

test.each([
  ['Home', () => Promise.resolve()],
  ['API keys', createKey],
])(
  'the secret of a new key on %s stays after the session has ended, until the user has saved it',
  async (name, create) => {
    const visitor = await newcomer(unverified, 'admin', 'sandbox')
    const { page } = visitor
    const secret = page.getByText(/kp_sandbox_[0-9a-f]{48}/)
    await page.clock.install()
    await page.getByRole('link', { name, exact: true }).click()
    await create(page)
    await page.getByRole('button', { name: 'Create sandbox key' }).click()
    await secret.waitFor()
    const shown = /kp_sandbox_[0-9a-f]{48}/.exec((await secret.textContent()) ?? '')?.[0] ?? ''
    const address = page.url()

    await page.evaluate(`fetch('/v1/auth/session', { method: 'DELETE' })`)
    await page.clock.runFor(90_000)
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
    await page.getByText('Your session has ended').waitFor()
    expect([page.url(), await secret.count()]).toEqual([address, 1])
    expect(await secret.textContent()).toContain(shown)
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, history.state])')).not.toContain(shown)
    expect(await visitor.faults()).toEqual([])
    await visitor.picture(`secret-after-session-${name.slice(0, 3)}`)

    await page.getByRole('button', { name: 'I’ve saved it' }).click()
    await page.waitForURL('**/sign-in?*')
    await page.getByText('Your session has ended').waitFor()
    expect(await secret.count()).toBe(0)
    await visitor.leave()
  },
)

async function createKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Label').fill('Shop server')
}

test('before verification, live mode offers only verification', async () => {
  const visitor = await newcomer(unverified, 'admin', 'live')

  await expectNothingThatPays(visitor)
  expect(await linksOf(visitor)).toEqual(['Verification'])
  expect(await checkPage(visitor, 'home-new-live-unverified')).toEqual(noFindings)
  await visitor.leave()
})

test('after verification, live mode offers a top-up and a payout, but viewers only a top-up', async () => {
  const visitor = await newcomer(verified, 'admin', 'live')
  await expectNothingThatPays(visitor)
  expect(await linksOf(visitor)).toEqual(['Top up', 'Send a payout'])
  expect(await checkPage(visitor, 'home-new-live')).toEqual(noFindings)
  await visitor.leave()

  const viewer = await newcomer(verified, 'viewer', 'live')
  expect(await linksOf(viewer)).toEqual(['Top up'])
  await viewer.leave()
})

async function newcomer(changes: PartnerChanges, role: MemberRole, environment: string): Promise<Visitor> {
  const session = await aSession(api, await aPartner(api, changes), role)
  const visitor = await visit({ session })
  await visitor.go(`/dashboard?environment=${environment}`)
  return visitor
}

async function expectNothingThatPays(visitor: Visitor): Promise<void> {
  const text = await visitor.page.locator('main').textContent()
  expect(text).not.toMatch(/curl|kp_live_|38290008/)
  expect(await createKeyButtons(visitor)).toBe(0)
}

function createKeyButtons({ page }: Visitor): Promise<number> {
  return page.getByRole('button', { name: /^Create .*key$/ }).count()
}

function linksOf({ page }: Visitor): Promise<string[]> {
  const card = page.locator('main section').filter({ has: page.getByRole('heading', { name: /live/ }) })
  return card.getByRole('link').allTextContents()
}
