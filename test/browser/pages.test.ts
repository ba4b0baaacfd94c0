// Every page of the dashboard in a real browser: light, dark and forced colours, wide and narrow, without axe violations.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { simulatedRail } from '../../rail/simulated'
import { aPartner, aSession } from '../support/api/fixtures'
import { aBusyPartner } from '../support/browser/fixtures'
import { checkPage, noFindings } from '../support/browser/page-checks'
import { useDashboard } from '../support/browser/served-dashboard'
import { opened } from '../support/opened'

const bank = { url: 'http://127.0.0.1:1/v0', key: 'unused' }
const { api, visit } = useDashboard({
  rails: { simulated: simulatedRail, provider_production: simulatedRail },
  mailInboxUrl: 'http://127.0.0.1:8025',
  bank: { sandbox: bank, live: bank },
  temporalUiUrl: 'http://127.0.0.1:8233/namespaces/default',
})
const busy = opened(() => aBusyPartner(api))
let admin: string
let viewer: string
let newcomer: string

beforeAll(async () => {
  admin = await aSession(api, busy.partner, 'admin')
  viewer = await aSession(api, busy.partner, 'viewer')
  newcomer = await aSession(api, await aPartner(api, { verificationStatus: 'not_started' }), 'admin')
})

const pages: readonly (readonly [name: string, path: () => string, session: () => string | undefined])[] = [
  ['sign-in', () => '/sign-in', () => undefined],
  ['sign-up', () => '/sign-up', () => undefined],
  ['partner-sign-in', () => `/p/${busy.partner.slug}`, () => undefined],
  ['home', () => '/dashboard?environment=sandbox', () => admin],
  ['home-live', () => '/dashboard?environment=live', () => admin],
  ['home-new', () => '/dashboard?environment=sandbox', () => newcomer],
  ['payouts', () => '/dashboard/payouts?environment=sandbox', () => admin],
  ['payouts-none', () => '/dashboard/payouts?environment=sandbox&q=nothing', () => admin],
  ['payout', () => `/dashboard/payouts/${busy.payoutId}?environment=sandbox`, () => admin],
  ['send', () => '/dashboard/send?environment=sandbox', () => admin],
  ['wallet', () => '/dashboard/wallet?environment=sandbox', () => admin],
  ['top-up', () => '/dashboard/top-up?environment=sandbox', () => admin],
  ['recipients', () => '/dashboard/recipients?environment=sandbox', () => admin],
  ['usage', () => '/dashboard/usage?environment=live', () => admin],
  ['invoices', () => '/dashboard/invoices?environment=live', () => admin],
  ['invoice', () => `/dashboard/invoices/${busy.invoiceId}?environment=live`, () => admin],
  ['keys', () => '/dashboard/keys?environment=sandbox', () => admin],
  ['keys-new-live', () => '/dashboard/keys?environment=live', () => newcomer],
  ['team', () => '/dashboard/team?environment=sandbox', () => admin],
  ['team-viewer', () => '/dashboard/team?environment=sandbox', () => viewer],
  ['audit-log', () => '/dashboard/audit-log?environment=sandbox', () => admin],
  ['verification', () => '/dashboard/verification?environment=live', () => newcomer],
  ['settings', () => '/dashboard/settings?environment=sandbox', () => admin],
  ['settings-viewer', () => '/dashboard/settings?environment=sandbox', () => viewer],
  ['no-such-page', () => '/dashboard/nowhere?environment=sandbox', () => admin],
]

describe('every page', () => {
  test.each(pages)(
    '%s has no axe violation, in light, dark and forced colours, and fits a phone',
    async (name, path, session) => {
      const token = session()
      const visitor = await visit({ colorScheme: 'light', ...(token ? { session: token } : {}) })
      await visitor.go(path())

      expect(await checkPage(visitor, name)).toEqual(noFindings)
      await visitor.leave()
    },
  )
})

describe('the dashboard', () => {
  test('Ctrl+K jumps to a page or to a payout, by keyboard alone', async () => {
    const visitor = await visit({ session: admin })
    const { page } = visitor
    await visitor.go('/dashboard?environment=sandbox')

    await page.keyboard.press('Control+k')
    await page.keyboard.type('aud')
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('palette')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Emmy')
    await page.getByRole('option', { name: /Emmy Noether/ }).waitFor()
    await page.keyboard.press('Enter')

    await page.waitForURL(`**/dashboard/payouts/${busy.payoutId}?*`)
    await visitor.leave()
  })

  test('the environment is chosen once for all pages, is part of the URL, and is visible', async () => {
    const visitor = await visit({ session: admin })
    const { page } = visitor
    await visitor.go('/dashboard?environment=sandbox')
    await page.getByText('Sandbox: test money only').waitFor()

    await page.getByRole('button', { name: 'Live', exact: true }).click()
    await page.getByText('Live (simulated)').waitFor()
    await page.getByRole('link', { name: 'Wallet' }).click()

    await page.waitForURL('**/dashboard/wallet?environment=live')
    await visitor.go('/dashboard/keys')
    expect(page.url()).toMatch(/keys\?environment=live$/)
    await visitor.leave()
  })

  test('light or dark is remembered, and the menu opens on a phone', async () => {
    const visitor = await visit({
      session: admin,
      viewport: { width: 390, height: 844 },
      colorScheme: 'light',
    })
    const { page } = visitor
    await visitor.go('/dashboard?environment=sandbox')
    await page.getByRole('button', { name: /Signed in as/ }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await page.reload()
    await page.locator('h1').waitFor()

    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(14, 16, 18)')
    await page.getByRole('button', { name: 'Open menu' }).click()
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('menu-phone')
    await page.getByRole('link', { name: 'Invoices' }).click()
    await page.getByRole('heading', { name: 'Invoices' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await visitor.leave()
  })

  test('an invoice is saved as a PDF', async () => {
    const visitor = await visit({ session: viewer })
    await visitor.go('/dashboard/invoices?environment=live')

    const [download] = await Promise.all([
      visitor.page.waitForEvent('download'),
      visitor.page.getByRole('button', { name: 'INV-2026-000010 as PDF' }).click(),
    ])

    expect(download.suggestedFilename()).toBe('INV-2026-000010.pdf')
    expect(
      readFileSync(await download.path())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-')
    await visitor.leave()
  })

  test('a payout of the other environment is shown as not found', async () => {
    const visitor = await visit({ session: admin })
    await visitor.go(`/dashboard/payouts/${busy.payoutId}?environment=live`)

    expect(await visitor.page.locator('h1').textContent()).toBe('Payout not found')
    await visitor.leave()
  })

  test('a failed payout shows its quoted cost as not charged', async () => {
    const visitor = await visit({ session: admin })
    await visitor.go(`/dashboard/payouts/${busy.payoutId}?environment=sandbox`)

    const headings = await visitor.page.getByRole('heading', { level: 2 }).allTextContents()

    expect(headings).toEqual(['Timeline', 'Quoted cost (not charged)', 'Details'])
    await visitor.leave()
  })

  test('names the partner that a page shows in each request', async () => {
    const visitor = await visit({ session: admin })
    const asked = new Set<string | undefined>()
    visitor.page.on('request', (request) => {
      if (/\/v1\/(?!auth\/)/.test(request.url())) asked.add(request.headers()['x-partner-id'])
    })

    await visitor.go('/dashboard/wallet?environment=sandbox')

    expect([...asked]).toEqual([busy.partner.id])
    await visitor.leave()
  })

  test('a user who requested too many codes can still enter the one that has arrived', async () => {
    const visitor = await visit()
    const { page } = visitor
    await page.route('**/v1/auth/codes', (route) =>
      route.fulfill({ status: 429, json: { error: { code: 'rate_limited', message: 'Too many requests.' } } }),
    )
    await visitor.go('/sign-in')
    await page.getByLabel('Work email').fill('ada@engine.test')
    await page.getByRole('button', { name: 'Send code' }).click()

    await page.getByText('You’ve requested too many codes.').waitFor()
    expect(await page.getByLabel('Six-digit code').isEditable()).toBe(true)
    await visitor.leave()
  })

  test('an expired session leads to the sign-in, and back to the same page', async () => {
    const ended = 'x'.repeat(43)
    const visitor = await visit({ session: ended })
    await visitor.go('/dashboard/payouts?environment=sandbox&q=Emmy')

    const url = new URL(visitor.page.url())
    expect(url.pathname).toBe('/sign-in')
    expect(url.searchParams.get('next')).toBe('/dashboard/payouts?environment=sandbox&q=Emmy')
    await visitor.leave()
  })
})
