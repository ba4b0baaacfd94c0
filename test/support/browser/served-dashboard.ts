// The dashboard served by the API alone, without a worker or a bank, and a browser to open it.
import { beforeAll } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { limitsFor } from '../../../api/http/costly-reads'
import { type Api, type ApiOptions, useApi } from '../api/client'
import { aPartner, aSession } from '../api/fixtures'
import { opened, openedForEach } from '../opened'
import { buildDashboard } from './built-dashboard'
import { openChromium } from './chromium'
import { aVisitor, type Visitor, type VisitorOptions } from './visitor'

export interface ServedDashboard {
  readonly api: Api
  readonly visit: (options?: VisitorOptions) => Promise<Visitor>
}

/** A dashboard for this test file. */
export function useDashboard(options: ApiOptions = {}): ServedDashboard {
  const held = useBrowser()
  // Allows a long wait, because reads may take longer on a busy machine than the default limit allows.
  const readLimits = { ...limitsFor(1), waitMs: 60_000 }
  const api = useApi({ publicUrl: 'http://localhost', readLimits, ...options })
  return { api, visit: (as) => aVisitor(held.browser, api.url, as) }
}

/** Opens a visitor who is the admin of a new partner, for each test. Its browser has cached nothing. */
export function useAdmin({ api, visit }: ServedDashboard, options: VisitorOptions = {}): Visitor {
  return openedForEach(async () =>
    visit({ session: await aSession(api, await aPartner(api), 'admin'), ownContext: true, ...options }),
  )
}

/** A browser for this test file, and the built dashboard. */
export function useBrowser(): { readonly browser: Browser } {
  beforeAll(buildDashboard)
  return opened(
    async () => ({ browser: await openChromium() }),
    ({ browser }) => browser.close(),
  )
}
