// Payouts after they were sent, in a real browser: simulated outcomes, a recall that an operator resolves,
// and its charge.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { projectDir } from '../../../local/files'
import { environment } from '../../../runtime/config/config'
import { type Stage, useVisitor } from '../../support/browser/stage'
import { codeFor, fillPayout, followMail } from '../../support/browser/steps'
import { forwardingTo } from '../../support/opened'
import { childEnv } from '../../support/system/child-env'

export function afterwards(stage: Stage): void {
  const visitor = useVisitor(stage, 'demo@payouts.test')
  const local = forwardingTo(() => stage.local)
  let page: Page

  beforeAll(() => {
    page = visitor.page
  })

  /** Sets how long a transfer remains in `payment_submitted`, so that there is time to choose its outcome. */
  async function setBankDelay(ms: number): Promise<void> {
    const body = JSON.stringify({ payment_submitted: ms })
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${local.bank}/_control/delays`, { method: 'PUT', body, headers })
    expect(answer.status).toBe(200)
  }

  async function send(amount: string, name: string): Promise<void> {
    await visitor.go('/dashboard/send?environment=sandbox')
    await fillPayout(page, { amount, name, account: '38291234' })
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: `Send £${amount}` }).click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  }

  async function simulate(way: string, reason?: string): Promise<void> {
    await page.getByRole('button', { name: 'Simulate' }).click()
    await page.getByRole('menuitem', { name: way }).click()
    if (reason === undefined) return
    await page.getByLabel('Reason').selectOption(reason)
    await page.getByRole('button', { name: /^(Fail payout|Return payout)$/ }).click()
  }

  /** Waits for the text without reloading the page. */
  const shows = (text: string) => page.getByText(text, { exact: true }).first().waitFor()

  describe('in the sandbox an admin', () => {
    test('settles a payout, then returns it with a reason, and sees both without a reload', async () => {
      await setBankDelay(600_000)
      await send('31.00', 'Hedy Lamarr')
      await page.getByRole('button', { name: 'Simulate' }).click()
      await page.getByRole('menuitem', { name: /^Settle/ }).waitFor()
      await visitor.picture('story-simulate')
      expect(await visitor.faults()).toEqual([])
      await page.keyboard.press('Escape')

      await simulate('Settle')
      await shows('Completed')
      await simulate('Return', 'account_closed')
      await shows('Returned')
      await page.getByText('The account is closed.').first().waitFor()
      await page.getByText('Refunded to wallet').waitFor()
      // The title names the recipient's bank, so the event does not name a bank again.
      const returned = page.getByRole('main').locator('ol > li').filter({ hasText: 'Returned by the recipient’s bank' })
      expect(await returned.innerText()).not.toContain('by the bank')
      await visitor.settled()
      await visitor.picture('story-returned')
      expect(await visitor.faults()).toEqual([])

      await page.getByRole('link', { name: 'Wallet' }).click()
      await page.getByRole('row').filter({ hasText: 'Returned payout' }).first().waitFor()
      await visitor.picture('story-wallet-returned')
    })

    test('stalls a payout, and then makes it fail', async () => {
      await setBankDelay(600_000)
      await send('32.00', 'Grace Hopper')
      await simulate('Stall')
      await page.getByText('Payout stalled').waitFor()
      await simulate('Fail', 'name_mismatch')

      await shows('Failed')
      await page.getByText('The name does not belong to this account.').first().waitFor()
      await page.getByText('Refunded to wallet').waitFor()
      const redEvents = page.locator('ol li', { has: page.locator('.bg-bad') })
      expect(await redEvents.allTextContents()).toEqual([expect.stringMatching(/^Failed/)])
      expect(visitor.complaints).toEqual([])
    })
  })

  describe('in live mode an admin', () => {
    test('recalls a payout, and sees its outcome and charge once an operator has resolved it', async () => {
      await setBankDelay(100)
      await visitor.go('/dashboard/send?environment=live')
      await fillPayout(page, { amount: '46.50', name: 'Katherine Johnson', account: '38290008' })
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByRole('button', { name: 'Email me a code' }).click()
      await page.getByLabel('Six-digit code').fill(await codeFor(local, 'demo@payouts.test', /46\.50/))
      await page.getByRole('button', { name: 'Send £46.50' }).click()
      await page.getByRole('button', { name: 'Request recall', exact: true }).click()
      await page.getByLabel('Reason').fill('Paid to the wrong <b>supplier</b>.')
      await visitor.picture('story-recall-dialog')
      expect(await visitor.faults()).toEqual([])
      await page.getByRole('dialog').getByRole('button', { name: 'Request recall' }).click()
      const recall = page.getByRole('article', { name: 'Recall' })
      await recall.getByText('Reply expected by', { exact: true }).waitFor()
      await page.locator('#page').getByText('Recall requested', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Request recall', exact: true }).waitFor({ state: 'detached' })

      const { data } = await ops('case', 'list')
      const id = data[0]?.id ?? ''
      await ops('case', 'resolve', '--case', id, '--outcome', 'refused', '--cost', '12.50', '--note', 'They said no')

      await recall.getByText('Recipient declined').waitFor()
      expect(await recall.textContent()).toMatch(/Paid to the wrong <b>supplier<\/b>\..*£15\.00.*They said no/)
      await page.getByText('Recall resolved: recipient declined').waitFor()
      await visitor.picture('story-recall-resolved')
      expect(await visitor.faults()).toEqual([])
      expect(await page.getByRole('button', { name: 'Simulate' }).count()).toBe(0)
      expect(visitor.complaints).toEqual([])
    })

    test('opens the recalled payout from the email about it', async () => {
      const email = { to: 'demo@payouts.test', subject: /A recall was resolved/, button: 'View payout' }
      const tab = await followMail(page, local, email)

      await tab.getByText('Recall resolved: recipient declined').waitFor()
      expect(tab.url()).toBe(page.url())
    })
  })

  /** Runs an ops command on the same system. */
  async function ops(...command: string[]): Promise<{ readonly data: readonly { readonly id: string }[] }> {
    const env = { ...environment(), ...childEnv(), DATA_DIR: stage.dataDir }
    const args = [join(projectDir(), 'dist/ops/main.js'), ...command, '--json']
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    return JSON.parse(stdout)
  }
}
