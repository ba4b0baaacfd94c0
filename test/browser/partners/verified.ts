// Members of a verified partner: live payouts confirmed with a mailed code, their own logo, and everything by keyboard alone.
import { describe, expect, test } from '@jest/globals'
import { aPng } from '../../support/browser/fixtures'
import type { Stage } from '../../support/browser/stage'
import { codeFor, fillPayout, jumpTo, signIn, tabTo } from '../../support/browser/steps'
import { aVisitor } from '../../support/browser/visitor'
import { passedOn } from '../../support/opened'

export function verifiedPartner(stage: Stage): void {
  const local = passedOn(() => stage.local)

  describe('a verified partner', () => {
    test('confirms a live payout with the code that was mailed for it', async () => {
      const visitor = await aVisitor(stage.browser, local.api)
      const { page } = visitor
      await signIn(visitor, local, 'demo@payouts.test')
      await visitor.go('/dashboard/send?environment=live')
      await page.getByText('Live (simulated)').waitFor()
      await fillPayout(page, { amount: '45.50', name: 'Katherine Johnson', account: '38290008' })
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByRole('button', { name: 'Email me a code' }).click()
      const code = await codeFor(local, 'demo@payouts.test', /45\.50/)
      const wrong = code === '000000' ? '000001' : '000000'
      await page.getByLabel('Six-digit code').fill(wrong)
      await page.getByRole('button', { name: 'Send £45.50' }).click()
      await page.getByText('That code isn’t valid').waitFor()
      await visitor.picture('story-confirm')
      await page.getByLabel('Six-digit code').fill(code)
      await page.getByRole('button', { name: 'Send £45.50' }).click()

      await page.getByText('Paid to recipient').waitFor()
      await visitor.settled()
      await visitor.picture('story-live-completed')
      expect(await page.getByRole('link', { name: 'Workflow in Temporal' }).getAttribute('href')).toContain(
        '/namespaces/default/workflows?query=',
      )
      expect(visitor.complaints).toEqual([])
      await visitor.leave()
    })

    test('sees only its own pages after the sign-in, whatever the URL asks for', async () => {
      const visitor = await aVisitor(stage.browser, local.api)
      await signIn(visitor, local, 'demo@payouts.test', '/sign-in?next=https://evil.test/dashboard')

      expect(new URL(visitor.page.url()).origin).toBe(local.api)
      expect(new URL(visitor.page.url()).pathname).toBe('/dashboard')
      await visitor.go('/sign-in?next=/dashboard/../docs')
      expect(new URL(visitor.page.url()).searchParams.get('next')).toBeNull()
      // An unknown environment must never look like a known one.
      await visitor.go('/dashboard?environment=LIVE')
      expect(new URL(visitor.page.url()).searchParams.get('environment')).toMatch(/^(live|sandbox)$/)
      await visitor.leave()
    })

    test('chooses a logo from the local machine, which its sign-in page then shows', async () => {
      const visitor = await aVisitor(stage.browser, local.api)
      const { page } = visitor
      await signIn(visitor, local, 'demo@payouts.test')
      await visitor.go('/dashboard/settings?environment=sandbox')
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
      await page.waitForURL(sent)
      expect(await page.locator('h1').textContent()).toContain('£13.00')
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
