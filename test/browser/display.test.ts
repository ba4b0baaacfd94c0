// How the dashboard looks in forced colours, on paper, on a phone, zoomed in and in another time zone.
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Locator } from 'playwright-core'
import type { PartnerRow } from '../../db/partners/partners'
import { aPartner, aPayoutRow, aSession } from '../support/api/fixtures'
import { useDashboard } from '../support/browser/served-dashboard'
import { desktop } from '../support/browser/visitor'

const { api, visit } = useDashboard()
let partner: PartnerRow
let session: string

beforeAll(async () => {
  partner = await aPartner(api)
  session = await aSession(api, partner, 'admin')
})

describe('in forced colours', () => {
  test('the current environment, the current page and primary buttons stand out', async () => {
    const visitor = await visit({ session, forcedColors: 'active' })
    const { page } = visitor
    await visitor.go('/dashboard/payouts?environment=live')
    const backgroundOf = (role: 'button' | 'link', name: string) =>
      styleOf(page.getByRole(role, { name, exact: true }).first(), 'backgroundColor')

    expect(await backgroundOf('button', 'Live')).not.toBe(await backgroundOf('button', 'Sandbox'))
    expect(await backgroundOf('link', 'Payouts')).not.toBe(await backgroundOf('link', 'Wallet'))
    const marked = page.getByRole('link', { name: 'Payouts', exact: true }).first()
    expect(await styleOf(marked, 'color')).toBe(await styleOf(page.getByRole('button', { name: 'Live' }), 'color'))
    const send = page.getByRole('link', { name: 'Send a payout' }).first()
    expect(await styleOf(send, 'borderTopWidth')).toBe('1px')
    expect(await styleOf(send, 'borderTopColor')).toBe(await styleOf(send, 'color'))
    await visitor.picture('payouts-forced-colors')
    await visitor.leave()
  })

  test('a switch has a visible edge, and looks different when it is on', async () => {
    const visitor = await visit({ session, forcedColors: 'active' })
    await visitor.go('/dashboard/settings?environment=sandbox')
    const control = visitor.page.getByRole('switch').first()
    const wasOn = await control.isChecked()
    const before = await styleOf(control, 'backgroundColor')
    await control.click()
    await visitor.page.getByText('Changes saved', { exact: true }).waitFor()

    expect(await control.isChecked()).toBe(!wasOn)
    expect(await styleOf(control, 'borderTopWidth')).toBe('1px')
    expect(await styleOf(control, 'backgroundColor')).not.toBe(before)
    await visitor.picture('settings-forced-colors')
    await visitor.leave()
  })
})

describe('on paper', () => {
  test.each([
    ['live', 'Live'],
    ['sandbox', 'Sandbox: test money only. No one is paid.'],
  ] as const)(
    'a %s payout shows its environment, in full contrast and without controls',
    async (environment, words) => {
      const { id } = await aPayoutRow(api, partner, { environment, recipientName: 'Ada Lovelace' })
      const visitor = await visit({ session, colorScheme: 'dark' })
      const { page } = visitor
      await visitor.go(`/dashboard/payouts/${id}?environment=${environment}`)
      await page.emulateMedia({ media: 'print' })

      expect((await page.locator('header').first().innerText()).trim()).toBe(words)
      for (const hidden of [page.getByRole('navigation'), page.getByRole('button')])
        expect(await hidden.count()).toBe(0)
      expect(await styleOf(page.locator('body'), 'backgroundColor')).toBe('rgb(255, 255, 255)')
      const ink = await styleOf(page.getByRole('heading', { level: 1 }), 'color')
      expect(ink).toBe('rgb(26, 27, 30)')
      expect(await styleOf(page.getByText('Payout ID'), 'color')).toBe(ink)
      await visitor.picture(`payout-${environment}-print`)
      await visitor.leave()
    },
  )
})

describe('on a phone', () => {
  const phone = { width: 390, height: 844 }

  test.each(['payouts', 'send', 'team', 'settings', 'audit-log'])(
    'the fields of %s have text of at least 16 px, so that an iPhone does not zoom in',
    async (name) => {
      const visitor = await visit({ session, viewport: phone })
      await visitor.go(`/dashboard/${name}?environment=sandbox`)
      const fields = visitor.page.locator('main').locator('select, textarea, input:not([type=checkbox], [type=file])')

      const sizes = await Promise.all((await fields.all()).map((field) => styleOf(field, 'fontSize')))
      expect(sizes.filter((size) => !(Number.parseFloat(size ?? '') >= 16))).toEqual([])
      await visitor.leave()
    },
  )

  test('the cost of a payout is shown beside the Review button', async () => {
    const visitor = await visit({ session, viewport: phone })
    const { page } = visitor
    await visitor.go('/dashboard/send?environment=sandbox')
    await page.getByLabel('Amount (GBP)').fill('12')
    const total = page.locator('p').filter({ hasText: 'Debited from wallet' })
    await total.getByText(/^\d+\.\d\d/).waitFor()

    const [cost, review] = [await total.boundingBox(), await page.getByRole('button', { name: 'Review' }).boundingBox()]
    const bottoms = [cost, review].map((box) => (box ? box.y + box.height : Number.NaN))
    expect(bottoms.every((bottom) => bottom <= phone.height)).toBe(true)
    expect(cost && review ? cost.x + cost.width <= review.x : false).toBe(true)
    await visitor.picture('send-phone-total')
    await visitor.leave()
  })
})

test('pages that show times name the time zone, and so does a printed payout', async () => {
  const { id } = await aPayoutRow(api, partner, { environment: 'sandbox', createdAt: new Date('2026-03-01T20:15:00Z') })
  const visitor = await visit({ session, timezoneId: 'Asia/Tokyo' })
  const { page } = visitor
  for (const path of ['', '/payouts', '/wallet', '/recipients', '/invoices', '/keys', '/team', '/audit-log']) {
    await visitor.go(`/dashboard${path}?environment=sandbox`)

    expect(await page.getByRole('contentinfo').innerText()).toBe('Times in Asia/Tokyo (currently GMT+9)')
  }
  await visitor.go(`/dashboard/payouts/${id}?environment=sandbox`)
  expect(await page.getByText('05:15').count()).toBeGreaterThan(0)
  await page.emulateMedia({ media: 'print' })

  expect(await page.getByRole('contentinfo').isVisible()).toBe(true)
  await visitor.leave()
})

test('the check of a page finds text with too little contrast, and accepts less contrast in large print', async () => {
  const visitor = await visit()
  await visitor.page.setContent(`<!doctype html><html lang="en"><title>Contrast</title><main><h1>Contrast</h1>
    <p style="color: #777">A little too light for small print</p>
    <p style="color: #888; font-size: 30px">Dark enough for large print</p>
    <p style="color: #999; font-size: 30px">Too light for large print</p></main>`)

  expect(await visitor.faults()).toEqual([
    expect.stringMatching(/^color-contrast: [^|]*A little[^|]*\|[^|]*Too light[^|]*$/),
  ])
  await visitor.leave()
})

test('date fields are wide enough for a date at 200 % zoom', async () => {
  const visitor = await visit({ session, viewport: { width: 640, height: 430 } })
  await visitor.go('/dashboard/payouts?environment=sandbox&from=2025-01-05&to=2025-02-10')

  for (const name of ['From', 'To']) {
    const { width } = (await visitor.page.getByLabel(name, { exact: true }).boundingBox()) ?? { width: 0 }
    // Wide enough for a date of ten characters and the calendar button.
    expect(width).toBeGreaterThanOrEqual(144)
  }
  await visitor.picture('payouts-zoom')
  await visitor.leave()
})

test('a reused browser context keeps no state of the previous visitor', async () => {
  const viewport = { width: 390, height: 844 }
  const before = await visit({ session, viewport, colorScheme: 'dark', forcedColors: 'active' })
  const context = before.page.context()
  await before.go('/dashboard?environment=sandbox')
  await before.page.evaluate('localStorage.setItem("left", "behind")')
  await context.grantPermissions(['clipboard-read'])
  await context.route(/v1/, (route) => route.abort())
  await context.setOffline(true)
  await before.leave()

  const next = await visit()

  expect(next.page.context()).toBe(context)
  await next.go('/sign-in')
  expect(next.page.viewportSize()).toEqual(desktop)
  expect(await next.page.evaluate('matchMedia("(prefers-color-scheme: dark), (forced-colors: active)").matches')).toBe(
    false,
  )
  expect(await context.cookies()).toEqual([])
  expect(await next.page.evaluate('localStorage.length')).toBe(0)
  expect(
    await next.page.evaluate('navigator.permissions.query({ name: "clipboard-read" }).then(({ state }) => state)'),
  ).not.toBe('granted')
  expect(await next.page.evaluate('fetch("/v1").then(({ status }) => status)')).toBe(200)
  await next.leave()
})

test('a visitor whose clock is replaced shares no browser context', async () => {
  const before = await visit({ session })
  await before.page.clock.install()
  await before.go('/dashboard?environment=sandbox')
  await before.leave()

  const next = await visit({ session })

  expect(next.page.context()).not.toBe(before.page.context())
  await next.leave()
})

/** A browser global, for the function that `evaluate` runs in the page. */
declare const getComputedStyle: (element: unknown) => Readonly<Record<string, string>>

function styleOf(at: Locator, name: string): Promise<string | undefined> {
  return at.evaluate((element, wanted) => getComputedStyle(element)[wanted], name)
}
