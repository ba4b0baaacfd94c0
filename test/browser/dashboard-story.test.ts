// The story of a dashboard: `npm start`, and people who sign up, pay, confirm, look, and are kept from what they may not do.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import type { Local } from '../stories/started-system'
import { aStage, type Stage } from './dashboard-stage'
import { codeFor, fillPayout, signIn } from './dashboard-steps'
import { aVisitor, type Visitor } from './dashboard-visitor'

const minutes = 60_000

let stage: Stage
let local: Local
let browser: Browser

beforeAll(async () => {
  stage = await aStage()
  local = stage.local
  browser = stage.browser
}, 4 * minutes)

afterAll(() => stage?.close(), minutes)

describe('a newcomer', () => {
  let visitor: Visitor
  let page: Page

  test(
    'signs up, and has a sandbox with test money at once',
    async () => {
      visitor = await aVisitor(browser, local.api)
      page = visitor.page
      await visitor.go('/sign-in')
      await page.getByRole('link', { name: 'Open a sandbox' }).click()
      await page.getByLabel('Business name').fill('Engine <b>Works</b> Ltd')
      await page.getByLabel('Work email').fill('ada@engine.test')
      await page.getByRole('button', { name: 'Open the sandbox' }).click()

      await page.getByLabel('Six-digit code').waitFor()
      await visitor.picture('story-code')
      // As pasted out of a mail, with a space inside; it is sent off by itself.
      const code = await codeFor(local, 'ada@engine.test')
      await page.getByLabel('Six-digit code').fill(`${code.slice(0, 3)} ${code.slice(3)}`)

      await page.getByRole('heading', { name: 'Make a first payout' }).waitFor()
      expect(await page.locator('h1').textContent()).toBe('Engine <b>Works</b> Ltd')
      expect(new URL(page.url()).search).toBe('?environment=sandbox')
      await page.getByText('10,000.00').waitFor()
    },
    minutes,
  )

  test(
    'sends a first payout and sees it completed without reloading',
    async () => {
      await page.getByRole('link', { name: 'Send a payout' }).click()
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByText('Six digits are needed, such as 20-04-15.').waitFor()
      await fillPayout(page, { amount: '120', name: 'Ada Lovelace', account: '3829 0008' })
      await page.getByText('153.30').waitFor()
      await visitor.picture('story-form')
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByText('You are about to send').waitFor()
      await visitor.settled()
      await visitor.picture('story-review')
      await page.getByRole('button', { name: 'Send £120.00' }).click()

      await page.getByText('In the recipient’s account').waitFor({ timeout: 30_000 })
      await page.getByText('Completed', { exact: true }).waitFor()
      await visitor.settled()
      await visitor.picture('story-completed')
      expect(await page.getByText('by ada@engine.test').count()).toBeGreaterThan(0)
      expect(await visitor.faults()).toEqual([])
    },
    minutes,
  )

  test(
    'is warned of a repeat, and sees why a payout failed',
    async () => {
      await page.getByRole('link', { name: 'Send a payout' }).click()
      await fillPayout(page, { amount: '120.00', name: 'Ada Lovelace', account: '38290008' })
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByText('This looks like a repeat').waitFor()
      await visitor.picture('story-repeat')
      await page.getByRole('button', { name: 'Change it' }).click()
      await page.getByLabel('Account number').fill('38290000')
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByRole('button', { name: 'Send £120.00' }).click()

      await page.getByText('The bank rejected the account details.').first().waitFor({ timeout: 30_000 })
      await visitor.settled()
      await visitor.picture('story-failed')
      expect(visitor.complaints).toEqual([])
    },
    minutes,
  )

  test(
    'a payout whose answer was lost is sent again as the same payout',
    async () => {
      await page.getByRole('link', { name: 'Send a payout' }).click()
      await fillPayout(page, { amount: '7.00', name: 'Grace Hopper', account: '38291111' })
      await page.getByRole('button', { name: 'Review' }).click()
      // The server gets the request, the page never hears of it.
      await page.route('**/v1/payouts?*', async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      })
      await page.getByRole('button', { name: 'Send £7.00' }).click()
      await page.getByText('We do not know yet whether it was sent').waitFor()
      expect(await page.getByRole('button', { name: 'Change it' }).isDisabled()).toBe(true)
      await visitor.picture('story-unknown')
      await page.unroute('**/v1/payouts?*')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('In the recipient’s account').waitFor({ timeout: 30_000 })

      await page.getByRole('link', { name: 'Payouts' }).first().click()
      await page.getByRole('searchbox').fill('1111')
      await expect(page.getByRole('row').filter({ hasText: '£7.00' }).count()).resolves.toBe(1)
    },
    minutes,
  )

  test(
    'a payout sent offline waits for nobody: it is tried again as the same one, and is paid once',
    async () => {
      const keys: (string | undefined)[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST' && /\/v1\/payouts\?/.test(request.url()))
          keys.push(request.headers()['idempotency-key'])
      })
      await page.getByRole('link', { name: 'Send a payout' }).first().click()
      await fillPayout(page, { amount: '8.00', name: 'Radia Perlman', account: '38292222' })
      await page.getByRole('button', { name: 'Review' }).click()
      await page.context().setOffline(true)
      await page.getByRole('button', { name: 'Send £8.00' }).click()
      await page.getByText('We do not know yet whether it was sent').waitFor()
      await page.context().setOffline(false)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('In the recipient’s account').waitFor({ timeout: 30_000 })

      expect(keys).toHaveLength(2)
      expect(new Set(keys).size).toBe(1)
      await page.getByRole('link', { name: 'Payouts' }).first().click()
      await page.getByRole('searchbox').fill('2222')
      await page.waitForURL(/q=.*2222/)
      await visitor.settled()
      expect(await page.getByRole('row').filter({ hasText: '£8.00' }).count()).toBe(1)
    },
    minutes,
  )

  test(
    'a lost answer stays unknown through a refusal and a reload, until the payout is looked up',
    async () => {
      await page.getByRole('link', { name: 'Send a payout' }).first().click()
      await fillPayout(page, { amount: '9.00', name: 'Barbara Liskov', account: '38293333' })
      await page.getByRole('button', { name: 'Review' }).click()
      await page.route('**/v1/payouts?*', async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      })
      await page.getByRole('button', { name: 'Send £9.00' }).click()
      await page.getByText('We do not know yet whether it was sent').waitFor()
      await page.unroute('**/v1/payouts?*')
      await page.route('**/v1/payouts?*', (route) =>
        route.fulfill({ status: 429, json: { error: { code: 'rate_limited', message: 'Too many requests.' } } }),
      )
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('That was too often in a short time.').waitFor()
      expect(await page.getByText('We do not know yet whether it was sent').count()).toBe(1)
      expect(await page.getByText('Nothing was sent').count()).toBe(0)
      await page.unroute('**/v1/payouts?*')

      page.once('dialog', (dialog) => void dialog.accept())
      await page.reload()
      await page.getByText('There is a payout whose outcome is unknown').waitFor()
      const kept: string = await page.evaluate('JSON.stringify(Object.entries(sessionStorage))')
      expect(kept).not.toMatch(/Liskov|38293333|9\.00/)
      await visitor.picture('story-unknown-reopened')
      await page.getByRole('button', { name: 'Look it up' }).click()
      await page.getByText('The earlier payout had arrived').waitFor()
      await page.getByRole('link', { name: 'Open it' }).click()

      await page.getByText('In the recipient’s account').waitFor({ timeout: 30_000 })
      await page.getByRole('link', { name: 'Send a payout' }).first().click()
      await page.getByLabel('Amount in pounds').waitFor()
    },
    minutes,
  )

  test(
    'makes a key, uses it, revokes it, and it is refused',
    async () => {
      await page.getByRole('link', { name: 'API keys' }).click()
      await page.getByRole('button', { name: 'Make a key' }).first().click()
      await page.getByLabel('Label').fill('<img src=x onerror=alert(1)>')
      await page.getByRole('button', { name: 'Make a sandbox key' }).click()
      const secret = (await page.getByTestId('secret').textContent()) ?? ''
      await visitor.picture('story-secret')
      const ask = () => fetch(`${local.api}/v1/balance`, { headers: { Authorization: `Bearer ${secret}` } })
      expect((await ask()).status).toBe(200)
      await page.getByRole('button', { name: 'I saved it' }).click()
      expect(await page.getByText(secret).count()).toBe(0)

      await page.getByRole('button', { name: /^Revoke/ }).click()
      await page.getByRole('button', { name: 'Revoke the key' }).click()

      await page.getByText('Revoked', { exact: true }).waitFor()
      expect((await ask()).status).toBe(401)
    },
    minutes,
  )

  test(
    'adds test money, and the statement shows all of it',
    async () => {
      await page.getByRole('link', { name: 'Top up' }).click()
      await page.getByLabel('Amount in USDC').fill('250')
      await page.getByRole('button', { name: 'Add test money' }).click()
      await page.getByText('250.00 USDC of test money added').waitFor()
      await visitor.settled()
      await visitor.picture('story-top-up')

      await page.getByRole('link', { name: 'Wallet' }).click()
      await page.getByText('+250.00').waitFor()
      await visitor.picture('story-statement')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'CSV' }).click(),
      ])
      const csv = readFileSync(await download.path(), 'utf8')
      expect(csv).toContain('250.00')
    },
    minutes,
  )

  test(
    'invites a viewer, who sees everything and may change nothing',
    async () => {
      await page.getByRole('link', { name: 'Team' }).click()
      await page.getByRole('button', { name: 'Invite' }).click()
      await page.getByLabel('Work email').fill('grace@engine.test')
      await page.getByRole('button', { name: 'Send the invitation' }).click()
      await page.getByText('The invitation is on its way').waitFor()
      const viewer = await aVisitor(browser, local.api)
      await signIn(viewer, local, 'grace@engine.test')

      expect(await viewer.page.getByRole('link', { name: 'Send a payout' }).count()).toBe(0)
      await viewer.go('/dashboard/send?environment=sandbox')
      await viewer.page.getByText('Only admins send payouts').waitFor()
      await viewer.go('/dashboard/keys?environment=sandbox')
      expect(await viewer.page.getByRole('button', { name: /Make a key|Revoke/ }).count()).toBe(0)
      const refused =
        await viewer.page.evaluate(`fetch('/v1/keys', { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ environment: 'sandbox', label: 'x' }) }).then((answer) => answer.json())`)
      expect(refused).toMatchObject({ error: { code: 'api_key_required' } })
      await viewer.leave()
    },
    minutes,
  )

  test(
    'everything they did is in the audit log under their email, and signing out ends it',
    async () => {
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
      expect(
        visitor.complaints.filter((complaint) => !/ERR_CONNECTION_RESET|ERR_INTERNET_DISCONNECTED/.test(complaint)),
      ).toEqual([])
      await visitor.leave()
    },
    minutes,
  )
})

describe('a verified partner', () => {
  test(
    'confirms a live payout with the code that was mailed for it',
    async () => {
      const visitor = await aVisitor(browser, local.api)
      const { page } = visitor
      await signIn(visitor, local, 'demo@payouts.test')
      await visitor.go('/dashboard/send?environment=live')
      await page.getByText('Live, make-believe').waitFor()
      await fillPayout(page, { amount: '45.50', name: 'Katherine Johnson', account: '38290008' })
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByRole('button', { name: 'Confirm by email' }).click()
      const code = await codeFor(local, 'demo@payouts.test', /45\.50/)
      const wrong = code === '000000' ? '000001' : '000000'
      await page.getByLabel('Six-digit code').fill(wrong)
      await page.getByRole('button', { name: 'Send £45.50' }).click()
      await page.getByText('This code is wrong, used or too old').waitFor()
      await visitor.picture('story-confirm')
      await page.getByLabel('Six-digit code').fill(code)
      await page.getByRole('button', { name: 'Send £45.50' }).click()

      await page.getByText('In the recipient’s account').waitFor({ timeout: 30_000 })
      await visitor.settled()
      await visitor.picture('story-live-completed')
      expect(await page.getByRole('link', { name: 'Workflow in Temporal' }).getAttribute('href')).toContain(
        '/namespaces/default/workflows?query=',
      )
      expect(visitor.complaints).toEqual([])
      await visitor.leave()
    },
    minutes,
  )

  test(
    'is shown only its own pages after the sign-in, whatever the address asks for',
    async () => {
      const visitor = await aVisitor(browser, local.api)
      await signIn(visitor, local, 'demo@payouts.test', '/sign-in?next=https://evil.test/dashboard')

      expect(new URL(visitor.page.url()).origin).toBe(local.api)
      expect(new URL(visitor.page.url()).pathname).toBe('/dashboard')
      // An environment that is none must never wear the look of one.
      await visitor.go('/dashboard?environment=LIVE')
      expect(new URL(visitor.page.url()).searchParams.get('environment')).toMatch(/^(live|sandbox)$/)
      await visitor.leave()
    },
    minutes,
  )
})
