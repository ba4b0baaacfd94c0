// Every page of the dashboard in a real browser: light and dark, wide and narrow, without a fault that axe knows of.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { simulatedRail } from '../../rail/simulated'
import { type Api, startApi } from '../api/client'
import { aPartner, aSession } from '../api/fixtures'
import { buildDashboard } from './built-dashboard'
import { openChromium } from './chromium'
import { aBusyPartner } from './dashboard-fixtures'
import { aVisitor } from './dashboard-visitor'

let api: Api
let browser: Browser
let admin: string
let viewer: string
let newcomer: string
let payoutId: string
let slug: string

beforeAll(async () => {
  buildDashboard()
  const bank = { url: 'http://127.0.0.1:1/v0', key: 'unused' }
  api = await startApi({
    publicUrl: 'http://localhost',
    rails: { simulated: simulatedRail, provider_production: simulatedRail },
    mailInboxUrl: 'http://127.0.0.1:8025',
    bank: { sandbox: bank, live: bank },
    temporalUiUrl: 'http://127.0.0.1:8233/namespaces/default',
  })
  const busy = await aBusyPartner(api)
  payoutId = busy.payoutId
  slug = busy.partner.slug
  admin = await aSession(api, busy.partner, 'admin')
  viewer = await aSession(api, busy.partner, 'viewer')
  newcomer = await aSession(api, await aPartner(api, { verificationStatus: 'not_started' }), 'admin')
  browser = await openChromium()
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await api?.close()
})

const pages: readonly (readonly [name: string, path: () => string, session: () => string | undefined])[] = [
  ['sign-in', () => '/sign-in', () => undefined],
  ['sign-up', () => '/sign-up', () => undefined],
  ['partner-sign-in', () => `/p/${slug}`, () => undefined],
  ['home', () => '/dashboard?environment=sandbox', () => admin],
  ['home-live', () => '/dashboard?environment=live', () => admin],
  ['home-new', () => '/dashboard?environment=sandbox', () => newcomer],
  ['payouts', () => '/dashboard/payouts?environment=sandbox', () => admin],
  ['payouts-none', () => '/dashboard/payouts?environment=sandbox&q=nothing', () => admin],
  ['payout', () => `/dashboard/payouts/${payoutId}?environment=sandbox`, () => admin],
  ['send', () => '/dashboard/send?environment=sandbox', () => admin],
  ['wallet', () => '/dashboard/wallet?environment=sandbox', () => admin],
  ['top-up', () => '/dashboard/top-up?environment=sandbox', () => admin],
  ['recipients', () => '/dashboard/recipients?environment=sandbox', () => admin],
  ['usage', () => '/dashboard/usage?environment=live', () => admin],
  ['invoices', () => '/dashboard/invoices?environment=live', () => admin],
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
    '%s has no fault that axe knows of, in light and dark, and fits a phone',
    async (name, path, session) => {
      const token = session()
      const visitor = await aVisitor(browser, api.url, { colorScheme: 'light', ...(token ? { session: token } : {}) })
      await visitor.go(path())

      const light = await visitor.faults()
      await visitor.picture(`${name}-light`)
      await visitor.page.emulateMedia({ colorScheme: 'dark' })
      const dark = await visitor.faults()
      await visitor.picture(`${name}-dark`)
      await visitor.page.setViewportSize({ width: 390, height: 844 })
      await visitor.picture(`${name}-phone-dark`)
      await visitor.page.emulateMedia({ colorScheme: 'light' })
      const onPhone = await visitor.faults()
      await visitor.picture(`${name}-phone`)
      const overflow = await visitor.page.evaluate('document.documentElement.scrollWidth - innerWidth')

      expect({ light, dark, onPhone }).toEqual({ light: [], dark: [], onPhone: [] })
      expect(overflow).toBeLessThanOrEqual(0)
      expect(visitor.complaints).toEqual([])
      await visitor.leave()
    },
    60_000,
  )
})
