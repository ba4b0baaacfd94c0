// If the response to a payout is lost, a retry sends the same payout, which is paid once.
import { beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Stage, useVisitor } from '../../support/browser/stage'
import { fillPayout, signInHere } from '../../support/browser/steps'

export function unknownPayout(stage: Stage): void {
  const visitor = useVisitor(stage, 'demo@payouts.test')
  let page: Page

  beforeAll(async () => {
    await visitor.go('/dashboard?environment=sandbox')
    page = visitor.page
  })

  test('is sent again as the same payout', async () => {
    await sendUnknown({ amount: '7.00', name: 'Grace Hopper', account: '38291111' }, loseTheAnswer)
    expect(await page.getByRole('button', { name: 'Edit' }).isDisabled()).toBe(true)
    await visitor.picture('story-unknown')
    await page.unroute('**/v1/payouts?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Paid to recipient').waitFor()

    expect(await countSent('1111', '£7.00')).toBe(1)
  })

  test('does not hang if the browser is offline, and a retry sends the same payout once', async () => {
    const keys = keysSent()
    await sendUnknown({ amount: '8.00', name: 'Radia Perlman', account: '38292222' }, () =>
      page.context().setOffline(true),
    )
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Paid to recipient').waitFor()

    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
    expect(await countSent('2222', '£8.00')).toBe(1)
  })

  test('has an unknown outcome until it is looked up, even after a refusal and a reload', async () => {
    await sendUnknown({ amount: '9.00', name: 'Barbara Liskov', account: '38293333' }, loseTheAnswer)
    await page.unroute('**/v1/payouts?*')
    await page.route('**/v1/payouts?*', (route) =>
      route.fulfill({ status: 429, json: { error: { code: 'rate_limited', message: 'Too many requests.' } } }),
    )
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Too many attempts.').waitFor()
    expect(await page.getByText('We couldn’t confirm this payout').count()).toBe(1)
    expect(await page.getByText('Nothing was sent').count()).toBe(0)
    await page.unroute('**/v1/payouts?*')

    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('An earlier payout wasn’t confirmed').waitFor()
    const kept: string = await page.evaluate('JSON.stringify(Object.entries(sessionStorage))')
    expect(kept).not.toMatch(/Liskov|38293333|9\.00/)
    await visitor.picture('story-unknown-reopened')
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('We found your earlier payout').waitFor()
    await page.getByRole('link', { name: 'View payout' }).click()

    await page.getByText('Paid to recipient').waitFor()
    await page.getByRole('link', { name: 'Send a payout' }).first().click()
    await page.getByLabel('Amount (GBP)').waitFor()
  })

  test('is paid once even if the session ends and the user enters the payout again', async () => {
    const keys = keysSent()
    await sendUnknown({ amount: '11.00', name: 'Hedy Lamarr', account: '38294444' }, loseTheAnswer)
    await page.unroute('**/v1/payouts?*')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.waitForURL('**/sign-in?*')
    await signInHere(visitor, stage.local, 'demo@payouts.test')
    await page.waitForURL('**/dashboard/send?*')

    await page.getByText('An earlier payout wasn’t confirmed').waitFor()
    await page.getByRole('button', { name: 'Re-enter payout' }).click()
    await fillPayout(page, { amount: '11.00', name: 'Hedy Lamarr', account: '38294444' })
    await page.getByRole('button', { name: 'Review' }).click()
    const answered = page.waitForResponse(/\/v1\/payouts\?/)
    await page.getByRole('button', { name: 'Send £11.00' }).click()
    expect((await answered).headers()['idempotent-replayed']).toBe('true')
    await page.getByText('Paid to recipient').waitFor()

    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(await countSent('4444', '£11.00')).toBe(1)
    expect(await page.evaluate('Object.keys(sessionStorage).join()')).not.toContain('unknown-payout')
    await visitor.leave()
  })

  /** Sends a payout whose request or response is lost, so that the page does not learn the outcome. */
  async function sendUnknown(payout: Parameters<typeof fillPayout>[1], lose: () => Promise<void>): Promise<void> {
    await page.getByRole('link', { name: 'Send a payout' }).first().click()
    await fillPayout(page, payout)
    await page.getByRole('button', { name: 'Review' }).click()
    await lose()
    await page.getByRole('button', { name: `Send £${payout.amount}` }).click()
    await page.getByText('We couldn’t confirm this payout').waitFor()
  }

  async function countSent(lastFour: string, amount: string): Promise<number> {
    await visitor.go(`/dashboard/payouts?environment=sandbox&q=${lastFour}`)
    return page.getByRole('row').filter({ hasText: amount }).count()
  }

  /** The server gets the request, but the page never gets the response. */
  async function loseTheAnswer(): Promise<void> {
    await page.route('**/v1/payouts?*', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
  }

  /** Records the Idempotency-Key of each create request from now on. */
  function keysSent(): (string | undefined)[] {
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && /\/v1\/payouts\?/.test(request.url()))
        keys.push(request.headers()['idempotency-key'])
    })
    return keys
  }
}
