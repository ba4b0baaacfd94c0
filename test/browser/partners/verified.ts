// Members of a verified partner: live payouts confirmed with an emailed code, the partner's own logo, and a payout
// sent by keyboard alone.
import { describe, expect, test } from '@jest/globals'
import { aPng } from '../../support/browser/fixtures'
import type { Stage } from '../../support/browser/stage'
import { codeFor, fillPayout, jumpTo, signIn, tabTo } from '../../support/browser/steps'
import { aVisitor } from '../../support/browser/visitor'
import { forwardingTo } from '../../support/opened'

export function verifiedPartner(stage: Stage): void {
  const local = forwardingTo(() => stage.local)
  const aMemberAt = async (path: string) => {
    const visitor = await aVisitor(stage.browser, local.api)
    await signIn(visitor, local, 'demo@payouts.test')
    await visitor.go(path)
    return visitor
  }

  describe('a member', () => {
    test('opens the sandbox at the address that npm start prints, then tops up the live wallet at the simulated bank', async () => {
      const visitor = await aVisitor(stage.browser, local.api)
      const { page } = visitor
      const { pathname, search } = new URL(local.dashboard)
      await signIn(visitor, local, 'demo@payouts.test', pathname + search)
      expect(page.url()).toBe(local.dashboard)
      await visitor.go('/dashboard/top-up?environment=live')
      const balance = page.getByText(/^Wallet balance: /)
      const before = await balance.innerText()
      await page.getByLabel('Amount (USDC)').fill('321.09')
      await page.getByRole('button', { name: 'Add test money' }).click()
      await page.getByText('321.09 USDC of test money sent').waitFor()
      await balance.filter({ hasNotText: before }).waitFor()
      await visitor.picture('story-top-up-live')

      await page.getByRole('link', { name: 'Wallet', exact: true }).click()
      await page.getByRole('row').filter({ hasText: '+321.09' }).getByText('Top-up').first().waitFor()
      expect(visitor.complaints).toEqual([])
      await visitor.leave()
    })

    test('confirms a live payout with the code that was emailed for it', async () => {
      const visitor = await aMemberAt('/dashboard/send?environment=live')
      const { page } = visitor
      await page.getByText('Live (simulated)').waitFor()
      await fillPayout(page, { amount: '45.50', name: 'Katherine Johnson', account: '38290008' })
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByRole('button', { name: 'Email me a code' }).click()
      const code = await codeFor(local, 'demo@payouts.test', /45\.50/)
      const wrong = code === '000000' ? '000001' : '000000'
      await page.getByLabel('Six-digit code').fill(wrong)
      await page.getByRole('button', { name: 'Send £45.50' }).click()
      await page.getByText('That code isn’t valid').waitFor()
      expect(await page.locator('[aria-current=step]').innerText()).toMatch(/^3\s+Confirm$/)
      await visitor.picture('story-confirm')
      await page.getByLabel('Six-digit code').fill(code)
      await page.getByRole('button', { name: 'Send £45.50' }).click()

      await page.getByText('Paid to recipient').waitFor()
      await visitor.settled()
      await visitor.picture('story-live-completed')
      const details = page.locator('section', { has: page.getByRole('heading', { name: 'Details' }) })
      expect(await details.getByRole('link', { name: 'View in Temporal' }).getAttribute('href')).toContain(
        '/namespaces/default/workflows?query=',
      )
      expect(visitor.complaints).toEqual([])
      await visitor.leave()
    })

    test('sees only pages of the dashboard after signing in, whatever the URL contains', async () => {
      const visitor = await aVisitor(stage.browser, local.api)
      await signIn(visitor, local, 'demo@payouts.test', '/sign-in?next=https://evil.test/dashboard')

      expect(new URL(visitor.page.url()).origin).toBe(local.api)
      expect(new URL(visitor.page.url()).pathname).toBe('/dashboard')
      await visitor.go('/sign-in?next=/dashboard/../docs')
      await visitor.page.waitForURL(({ pathname, searchParams }) => pathname !== '/docs' && !searchParams.has('next'))
      // The dashboard replaces an unknown environment in the URL with a known one.
      await visitor.go('/dashboard?environment=LIVE')
      expect(new URL(visitor.page.url()).searchParams.get('environment')).toMatch(/^(live|sandbox)$/)
      await visitor.leave()
    })

    test('uploads a logo of an allowed type and size, which the partner’s sign-in page then shows', async () => {
      const visitor = await aMemberAt('/dashboard/settings?environment=sandbox')
      const { page } = visitor
      const choose = (name: string, mimeType: string, buffer: Buffer) =>
        page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer })
      await choose('logo.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
      await page.getByText('Choose a PNG, JPEG or WebP image.').waitFor()
      await choose('logo.png', 'image/png', Buffer.alloc(40 * 1024 + 1))
      await page.getByText('This image is 41 kB. The maximum is 40 kB.').waitFor()
      await choose('logo.png', 'image/png', aPng)
      await page.locator('main img[src^="data:image/png"]').waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Changes saved', { exact: true }).waitFor()
      await visitor.picture('settings-logo')

      await visitor.go(`/p/${local.partner?.slug}`)
      const logo = page.locator('main img')
      expect(await logo.getAttribute('src')).toMatch('/v1/public/partners/')
      await logo.evaluate((img: { decode: () => Promise<void> }) => img.decode())
      expect(await logo.evaluate((img: { naturalWidth: number }) => img.naturalWidth)).toBe(1)
      await visitor.go('/dashboard/audit-log?environment=sandbox')
      expect(await page.getByRole('row').filter({ hasText: 'account.update' }).first().textContent()).toContain('logo')
      expect(visitor.complaints).toEqual([])
      await visitor.leave()
    })

    test('signs in, sends a payout and opens it again by keyboard alone', async () => {
      const visitor = await aVisitor(stage.browser, local.api)
      const { page } = visitor
      const { keyboard } = page
      await fetch(`${local.mail?.inbox}/messages.json`, { method: 'DELETE' })
      await visitor.go('/sign-in')
      await keyboard.type('demo@payouts.test')
      await keyboard.press('Enter')
      await page.getByLabel('Six-digit code').waitFor()
      await keyboard.type(await codeFor(local, 'demo@payouts.test'))
      await page.waitForURL('**/dashboard?*')
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
      await tabTo(page, 'Sandbox')
      await keyboard.press('Enter')
      await page.getByText('Sandbox: test money only').waitFor()
      await jumpTo(page, 'Send a payout')

      await page.getByLabel('Amount (GBP)').waitFor()
      for (const [label, text] of Object.entries(payoutByKeyboard)) {
        await tabTo(page, label)
        await keyboard.type(text)
      }
      await keyboard.press('Enter')
      await page.getByText('You are about to send').waitFor()
      await tabTo(page, 'Send £13.00')
      await keyboard.press('Enter')
      await page.getByText('Paid to recipient').waitFor()
      const sent = page.url()

      await jumpTo(page, 'Payouts')
      await page.getByRole('table', { name: 'Payouts' }).waitFor()
      await tabTo(page, 'Dorothy Vaughan')
      await keyboard.press('Enter')
      await page.locator('h1', { hasText: '£13.00' }).waitFor()
      expect(page.url()).toBe(sent)
      await visitor.leave()
    })
  })

  const payoutByKeyboard = {
    'Amount (GBP)': '13',
    'First name': 'Dorothy',
    'Last name': 'Vaughan',
    'Address line 1': '12 St James Square',
    'Town or city': 'London',
    Postcode: 'SW1Y 4JH',
    'Bank name': 'Barclays',
    'Sort code': '200415',
    'Account number': '38295555',
  }
}
