// The main dashboard story: `npm start`, then a new user signs up, pays, creates a key, tops up, invites a
// viewer and signs out.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { Stage } from '../support/browser/stage'
import { codeFor, fillPayout, followMail, signInHere } from '../support/browser/steps'
import { aVisitor, type Visitor } from '../support/browser/visitor'
import { forwardingTo } from '../support/opened'

export function newUser(stage: Stage): void {
  const local = forwardingTo(() => stage.local)

  describe('a new user', () => {
    let visitor: Visitor
    let page: Page

    test('signs up, and immediately has a sandbox with test money', async () => {
      visitor = await aVisitor(stage.browser, local.api)
      page = visitor.page
      await visitor.go('/sign-in')
      await page.getByRole('link', { name: 'Create a sandbox account' }).click()
      await page.getByLabel('Business name').fill('Engine <b>Works</b> Ltd')
      await page.getByLabel('Work email').fill('ada@engine.test')
      await page.getByRole('button', { name: 'Create account' }).click()

      await page.getByLabel('Six-digit code').waitFor()
      await visitor.picture('story-code')
      // A pasted code may contain a space. The form submits the code automatically.
      const code = await codeFor(local, 'ada@engine.test')
      await page.getByLabel('Six-digit code').fill(`${code.slice(0, 3)} ${code.slice(3)}`)

      await page.getByRole('heading', { name: 'Create your first payout with the API' }).waitFor()
      expect(await page.locator('h1').textContent()).toBe('Engine <b>Works</b> Ltd')
      expect(new URL(page.url()).search).toBe('?environment=sandbox')
      await page.getByText('10,000.00').waitFor()
    })

    test('sends a first payout and sees it completed without a reload', async () => {
      await page.getByRole('link', { name: 'Send a payout' }).click()
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByText('Enter a 6-digit sort code, e.g. 20-04-15.').waitFor()
      await fillPayout(page, { amount: '120', name: 'Ada Lovelace', account: '3829 0008' })
      await page.getByText('153.30').filter({ visible: true }).waitFor()
      await visitor.picture('story-form')
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByText('You are about to send').waitFor()
      await visitor.settled()
      await visitor.picture('story-review')
      await page.getByRole('button', { name: 'Send £120.00' }).click()

      await page.getByText('Paid to recipient').waitFor()
      await page.getByText('Completed', { exact: true }).waitFor()
      await visitor.settled()
      await visitor.picture('story-completed')
      expect(await page.getByText('by ada@engine.test').count()).toBeGreaterThan(0)
      expect(await visitor.faults()).toEqual([])
    })

    test('is warned about a duplicate payout, and sees why a payout failed', async () => {
      await page.getByRole('link', { name: 'Send a payout' }).click()
      await fillPayout(page, { amount: '120.00', name: 'Ada Lovelace', account: '38290008' })
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByText('Possible duplicate').waitFor()
      await visitor.picture('story-repeat')
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Account number').fill('38290000')
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByRole('button', { name: 'Send £120.00' }).click()

      await page.getByText('The bank rejected the account details.').first().waitFor()
      await visitor.settled()
      await visitor.picture('story-failed')
      expect(visitor.complaints).toEqual([])
    })

    test('creates and uses a key, which is refused after it is revoked', async () => {
      await page.getByRole('link', { name: 'API keys' }).click()
      await page.getByRole('button', { name: 'Create key' }).first().click()
      await page.getByLabel('Label').fill('<img src=x onerror=alert(1)>')
      await page.getByRole('button', { name: 'Create sandbox key' }).click()
      const secret = (await page.getByTestId('secret').textContent()) ?? ''
      await visitor.picture('story-secret')
      const ask = () => fetch(`${local.api}/v1/balance`, { headers: { Authorization: `Bearer ${secret}` } })
      expect((await ask()).status).toBe(200)
      await page.getByRole('button', { name: 'I’ve saved it' }).click()
      await page.getByText(secret).waitFor({ state: 'detached' })

      await page.getByRole('button', { name: /^Revoke/ }).click()
      await page.getByRole('button', { name: 'Revoke key' }).click()

      await page.getByText('Revoked', { exact: true }).waitFor()
      expect((await ask()).status).toBe(401)
    })

    test('adds test money, which the statement and its CSV export then show', async () => {
      await page.getByRole('link', { name: 'Top up' }).click()
      await page.getByLabel('Amount (USDC)').fill('250')
      await page.getByRole('button', { name: 'Add test money' }).click()
      await page.getByText('250.00 USDC of test money added').waitFor()
      await visitor.settled()
      await visitor.picture('story-top-up')

      await page.getByRole('link', { name: 'Wallet' }).click()
      await page.getByText('+250.00').waitFor()
      await visitor.picture('story-statement')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'CSV' }).click(),
      ])
      const csv = readFileSync(await download.path(), 'utf8')
      expect(csv).toContain('250.00')
    })

    test('invites a viewer, who joins from the email, but cannot send payouts or create keys', async () => {
      await page.getByRole('link', { name: 'Team' }).click()
      await page.getByRole('button', { name: 'Invite' }).click()
      await page.getByLabel('Work email').fill('grace@engine.test')
      await page.getByRole('button', { name: 'Send invitation' }).click()
      await page.getByText('Invitation sent').waitFor()
      const viewer = await aVisitor(stage.browser, local.api)
      const email = { to: 'grace@engine.test', subject: /You’re invited to Payouts/, button: 'Accept invitation' }
      const tab = await followMail(viewer.page, local, email)
      await tab.waitForURL(`${local.api}/sign-in?invitation=*`)
      await signInHere({ ...viewer, page: tab }, local, 'grace@engine.test')
      await tab.waitForURL(`${local.api}/dashboard?*`)
      await viewer.go('/dashboard?environment=sandbox')

      expect(await viewer.page.getByRole('link', { name: 'Send a payout' }).count()).toBe(0)
      await viewer.go('/dashboard/send?environment=sandbox')
      await viewer.page.getByText('Only admins can send payouts').waitFor()
      await viewer.go('/dashboard/keys?environment=sandbox')
      expect(await viewer.page.getByRole('button', { name: /Create key|Revoke/ }).count()).toBe(0)
      const refused =
        await viewer.page.evaluate(`fetch('/v1/keys', { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ environment: 'sandbox', label: 'x' }) }).then((answer) => answer.json())`)
      expect(refused).toMatchObject({ error: { code: 'api_key_required' } })
      await viewer.leave()
    })

    test('finds their actions in the audit log under their email, and signs out', async () => {
      await page.getByRole('link', { name: 'Audit log' }).click()
      await page.getByRole('searchbox').fill('ada@engine.test')
      for (const action of ['payout.create', 'key.create', 'key.revoke', 'member.'])
        await page.getByText(action).first().waitFor()
      await visitor.picture('story-audit-log')

      await page.getByRole('button', { name: 'Signed in as ada@engine.test' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()

      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await page.goto(`${local.api}/dashboard/keys`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      expect(visitor.complaints).toEqual([])
      await visitor.leave()
    })
  })
}
