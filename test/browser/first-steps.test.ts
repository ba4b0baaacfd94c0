// First steps for a partner without payouts: a command that pays is offered only for test money.
import { expect, test } from '@jest/globals'
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
  await visitor.leave()
})

test('a new key stays on the page until the user has saved it, whatever happens in between', async () => {
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
  await page.getByRole('heading', { name: 'Make your first payout' }).waitFor({ state: 'detached' })
  expect(await secret.count()).toBe(0)
  await visitor.leave()
})

test('live before verification offers only the verification', async () => {
  const visitor = await newcomer(unverified, 'admin', 'live')

  await expectNothingThatPays(visitor)
  expect(await linksOf(visitor)).toEqual(['Verification'])
  expect(await checkPage(visitor, 'home-new-live-unverified')).toEqual(noFindings)
  await visitor.leave()
})

test('live after verification offers top-up and payout, and a viewer no payout', async () => {
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
  const visitor = await visit({ session, colorScheme: 'light' })
  await visitor.go(`/dashboard?environment=${environment}`)
  return visitor
}

async function expectNothingThatPays({ page }: Visitor): Promise<void> {
  const text = await page.locator('main').textContent()
  expect(text).not.toMatch(/curl|kp_live_|38290008/)
  expect(await page.getByRole('button', { name: /Make a .*key/ }).count()).toBe(0)
}

function linksOf({ page }: Visitor): Promise<string[]> {
  const card = page.locator('main section').filter({ has: page.getByRole('heading', { name: /live/ }) })
  return card.getByRole('link').allTextContents()
}
