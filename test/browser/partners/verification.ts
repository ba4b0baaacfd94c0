// Going live in a real browser: on its simulated pages, the bank asks for more information, rejects the application
// and approves a second one.
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Stage, useVisitor } from '../../support/browser/stage'
import { codeFor } from '../../support/browser/steps'

export function goingLive(stage: Stage): void {
  const visitor = useVisitor(stage)
  let page: Page

  beforeAll(async () => {
    page = visitor.page
    await visitor.go('/sign-up')
    await page.getByLabel('Business name').fill('Difference Engines Ltd')
    await page.getByLabel('Work email').fill('ada@difference.test')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByLabel('Six-digit code').fill(await codeFor(stage.local, 'ada@difference.test'))
    await page.waitForURL('**/dashboard?*')
  })

  /** Presses a button in the tab that the link opens. The bank redirects that tab to the dashboard. */
  async function atTheBank(link: string, button: string): Promise<Page> {
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: link }).click(),
    ])
    await tab.getByText('This is a sandbox bank.').waitFor()
    await tab.getByRole('button', { name: button }).click()
    await tab.waitForURL('**/dashboard/verification**')
    await tab.getByRole('heading', { name: 'Business verification' }).waitFor()
    return tab
  }

  /** Waits for the text without reloading the page. */
  const shows = (text: string, where = page) => where.getByText(text, { exact: true }).first().waitFor()

  describe('a new partner that goes live', () => {
    test('starts verification, and the bank’s links appear without a reload', async () => {
      await page.getByRole('link', { name: 'Verification' }).click()
      await page.getByText('Simulated bank', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Start verification' }).click()

      const link = page.getByRole('link', { name: 'Continue with the bank' })
      await link.waitFor()
      expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
        '_blank',
        'noopener noreferrer',
      ])
      await visitor.picture('story-verification-started')
      expect(await visitor.faults()).toEqual([])
    })

    test('is asked for more information, and both pages show that without a reload', async () => {
      expect(await page.getByText('Information needed', { exact: true }).count()).toBe(0)
      const tab = await atTheBank('Continue with the bank', 'Ask for more')

      await shows('Information needed', tab)
      await shows('Information needed')
      await tab.close()
    })

    test('is kept under review, and can still open the simulated bank’s page', async () => {
      const tab = await atTheBank('Continue with the bank', 'Keep under review')
      await page.getByText('The bank is reviewing your details.').waitFor()
      await tab.close()

      expect(await page.getByRole('link', { name: 'Continue with the bank' }).count()).toBe(1)
    })

    test('is rejected with a reason, and tries again', async () => {
      const tab = await atTheBank('Continue with the bank', 'Reject')
      await shows('Declined')
      await page.getByText('Your information could not be verified.').waitFor()
      await visitor.settled()
      await visitor.picture('story-verification-rejected')
      expect(await visitor.faults()).toEqual([])
      await tab.close()

      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('Reasons given by the bank last time').waitFor()
      await page.getByRole('link', { name: 'Continue with the bank' }).waitFor()
    })

    test('accepts the terms, is approved, and gets a live wallet, live keys and a bank account for deposits', async () => {
      await (await atTheBank('Read and accept the bank’s terms', 'Accept the terms')).close()
      await page.getByRole('link', { name: 'Read and accept the bank’s terms' }).waitFor({ state: 'detached' })
      await (await atTheBank('Continue with the bank', 'Approve')).close()

      await shows('Approved')
      await visitor.settled()
      await visitor.picture('story-verification-approved')
      expect(await visitor.faults()).toEqual([])
      await page.getByRole('link', { name: 'Create live key' }).click()
      await page.getByRole('button', { name: 'Create key' }).first().waitFor()
      expect(new URL(page.url()).searchParams.get('environment')).toBe('live')
      await page.getByRole('link', { name: 'Top up' }).click()
      await page.getByText(/^\d\d-\d\d-\d\d$/).waitFor()
      await page.getByRole('button', { name: 'Copy address' }).waitFor()
      await visitor.picture('story-top-up-live')
    })

    test('sees in the audit log who started verification, and gets no browser error', async () => {
      await page.getByRole('link', { name: 'Audit log' }).click()

      const rows = page.getByRole('row').filter({ hasText: 'verification.start' })
      await rows.first().waitFor()
      expect(await rows.count()).toBe(2)
      expect(await rows.first().textContent()).toContain('ada@difference.test')
      expect(visitor.complaints).toEqual([])
    })
  })
}
