// Every dashboard page in a real browser: light, dark and forced colours, wide and narrow, without axe violations.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { simulatedRail } from '../../rail/simulated'
import { aPartner, aSession } from '../support/api/fixtures'
import { aBusyPartner } from '../support/browser/fixtures'
import { checkPage, noFindings } from '../support/browser/page-checks'
import { useDashboard } from '../support/browser/served-dashboard'
import { desktop, type Visitor } from '../support/browser/visitor'
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
  ['top-up-live', () => '/dashboard/top-up?environment=live', () => admin],
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
  ['no-such-path', () => '/nowhere', () => undefined],
]

describe('the page', () => {
  // One visitor for all pages of a user, because the first page of a new visitor takes twice as long. A visitor whose
  // check failed is not used again, because it may still have dark or forced colours.
  const visitors = new Map<string | undefined, Visitor>()

  test.each(pages)(
    '%s has no axe violation, in light, dark and forced colours, and fits a phone',
    async (name, path, session) => {
      const token = session()
      const visitor = visitors.get(token) ?? (await visit(token === undefined ? {} : { session: token }))
      visitors.delete(token)
      await visitor.page.setViewportSize(desktop)
      await visitor.go(path())

      expect(await checkPage(visitor, name)).toEqual(noFindings)
      visitors.set(token, visitor)
    },
  )
})

describe('in the dashboard', () => {
  test('the first load of Home transfers at most 210 kB, compressed, with its font and its data', async () => {
    const visitor = await visit({ session: admin, ownContext: true })
    const { page } = visitor
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    let bytes = 0
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })

    await visitor.go('/dashboard?environment=sandbox')
    await page.getByRole('heading', { name: 'Latest payouts' }).waitFor()
    await page.waitForLoadState('networkidle')

    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThanOrEqual(210_000)
    await visitor.leave()
  })

  test('a payout that was not found is not requested again', async () => {
    const visitor = await visit({ session: admin })
    const { page } = visitor
    let requests = 0
    page.on('request', (request) => {
      if (request.url().includes(`/v1/payouts/${busy.payoutId}`)) requests++
    })
    await page.clock.install()
    await visitor.go(`/dashboard/payouts/${busy.payoutId}?environment=live`)
    await page.getByRole('heading', { name: 'Payout not found' }).waitFor()
    const answered = requests

    await page.clock.runFor(60_000)

    await page.getByRole('heading', { name: 'Payout not found' }).waitFor()
    expect(requests).toBe(answered)
    await visitor.leave()
  })

  test('a payout in the other environment is shown as not found, with a link to it', async () => {
    const visitor = await visit({ session: admin })
    await visitor.go(`/dashboard/payouts/${busy.payoutId}?environment=live`)
    expect(await visitor.page.locator('h1').textContent()).toBe('Payout not found')

    await visitor.page.getByRole('link', { name: 'Look in the sandbox' }).click()

    await visitor.page.getByRole('heading', { name: 'Timeline' }).waitFor()
    expect(new URL(visitor.page.url()).searchParams.get('environment')).toBe('sandbox')
    await visitor.leave()
  })

  test('Ctrl+K jumps to a page or to a payout, by keyboard alone', async () => {
    const visitor = await visit({ session: admin })
    const { page } = visitor
    await visitor.go('/dashboard?environment=sandbox')

    await page.keyboard.press('Control+k')
    await page.keyboard.type('aud')
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('palette')
    await page.keyboard.press('Enter')
    await page.locator('h1:focus', { hasText: 'Audit log' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Emmy')
    await page.getByRole('option', { name: /Emmy Noether/ }).waitFor()
    await page.keyboard.press('Enter')

    await page.waitForURL(`**/dashboard/payouts/${busy.payoutId}?*`)
    await visitor.leave()
  })

  test('the search finds pages by synonyms, help, and an invoice by its number', async () => {
    const visitor = await visit({ session: admin })
    const { page } = visitor
    await visitor.go('/dashboard?environment=sandbox')
    await page.getByRole('button', { name: /Search or jump to/ }).click()
    const found = async (typed: string) => {
      await page.getByRole('combobox').fill(typed)
      return page.getByRole('option').allTextContents()
    }

    expect(await found('billing')).toEqual(['Fees and usage', 'Invoices'])
    expect(await found('fees')).toEqual(['Fees and usage'])
    expect(await found('log')).toEqual(['Audit log'])
    expect(await found('Members')).toEqual(['Team'])
    expect(await found('users')).toEqual(['Team'])
    expect(await found('help')).toEqual(['API documentation'])
    await found('inv-2026-000010')
    await page.getByRole('option', { name: /INV-2026-000010.*October 2026.*£839\.00.*Open/ }).click()
    await page.waitForURL(`**/dashboard/invoices/${busy.invoiceId}?*`)
    await visitor.leave()
  })

  test('the search shows when each payout was created', async () => {
    const visitor = await visit({ session: admin, viewport: { width: 390, height: 844 } })
    const { page } = visitor
    await visitor.go('/dashboard?environment=sandbox')
    await page.getByRole('button', { name: /Search or jump to/ }).click()
    await page.getByRole('combobox').fill('Grace Hopper')
    await page.getByRole('option').nth(5).waitFor()

    const rows = await page.getByRole('option').allTextContents()
    expect(rows).toHaveLength(6)
    for (const row of rows) expect(row).toMatch(/Grace Hopper · Order \d{4}\d{1,2} [A-Z][a-z]+.*, \d\d:\d\d£/)
    expect(await visitor.faults()).toEqual([])
    await visitor.picture('palette-payouts-phone')
    await visitor.leave()
  })

  test('a link to another page moves the focus to its heading, but a first load and a filter do not', async () => {
    const visitor = await visit({ session: admin })
    const { page } = visitor
    const focused = () => page.evaluate('document.activeElement.tagName')
    const heading = (text: string) => page.locator('h1:focus', { hasText: text })
    await visitor.go('/dashboard?environment=sandbox')
    expect(await focused()).toBe('BODY')

    await page.getByRole('link', { name: 'Payouts', exact: true }).click()
    await heading('Payouts').waitFor()
    expect(await page.locator('h1:focus-visible').count()).toBe(0)
    await page.getByRole('button', { name: 'Failed' }).click()
    await page.getByText('Mary Somerville').waitFor({ state: 'detached' })
    await page.getByRole('table', { name: 'Payouts' }).getByRole('link', { name: 'Emmy Noether' }).waitFor()
    expect(await focused()).toBe('BUTTON')
    await page.getByRole('link', { name: 'Emmy Noether' }).click()
    await heading('Failed').waitFor()
    await page.getByRole('link', { name: 'Send a payout' }).click()
    await page.getByRole('heading', { name: 'Send a payout' }).waitFor()
    expect(await focused()).toBe('INPUT')
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

  test('the chosen colour scheme is remembered, and the menu opens on a phone', async () => {
    const visitor = await visit({ session: admin, viewport: { width: 390, height: 844 } })
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
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.locator('h1:focus', { hasText: 'Invoices' }).waitFor()
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

  test('a failed payout shows its quoted cost as not charged', async () => {
    const visitor = await visit({ session: admin })
    await visitor.go(`/dashboard/payouts/${busy.payoutId}?environment=sandbox`)

    const headings = await visitor.page.getByRole('heading', { level: 2 }).allTextContents()

    expect(headings).toEqual(['Timeline', 'Notes', 'Quoted cost (not charged)', 'Details'])
    await visitor.leave()
  })

  test('each request names the partner whose data the page shows', async () => {
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
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': '450' },
        json: { error: { code: 'rate_limited', message: 'Too many requests.' } },
      }),
    )
    await visitor.go('/sign-in')
    await page.getByLabel('Work email').fill('ada@engine.test')
    await page.getByRole('button', { name: 'Send code' }).click()

    await page.getByText('You’ve requested too many codes.').waitFor()
    await page.getByText('try again in 8 minutes.').waitFor()
    expect(await page.getByRole('button', { name: 'Resend in 8 min' }).isDisabled()).toBe(true)
    expect(await page.getByLabel('Six-digit code').isEditable()).toBe(true)
    await visitor.leave()
  })

  test('a user who requests another code sees that it was sent, and no longer that the last one was wrong', async () => {
    const visitor = await visit()
    const { page } = visitor
    await page.clock.install()
    await visitor.go('/sign-in')
    await page.getByLabel('Work email').fill('ada@engine.test')
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByText('we’ve sent it a code').waitFor()
    await page.getByLabel('Six-digit code').fill('000000')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('button', { name: /^Resend in \d+ s$/ }).isDisabled()).toBe(true)

    await page.clock.runFor(30_000)
    await page.getByRole('button', { name: 'Resend code' }).click()

    await page.getByText('we’ve sent it a new code').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await visitor.faults()).toEqual([])
    await visitor.leave()
  })

  test('an invalid session leads to the sign-in page, whose URL names the page to return to', async () => {
    const ended = 'x'.repeat(43)
    const visitor = await visit({ session: ended })
    await visitor.go('/dashboard/payouts?environment=sandbox&q=Emmy')

    const url = new URL(visitor.page.url())
    expect(url.pathname).toBe('/sign-in')
    expect(url.searchParams.get('next')).toBe('/dashboard/payouts?environment=sandbox&q=Emmy')
    await visitor.leave()
  })
})
