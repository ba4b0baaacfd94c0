// The dashboard as the API alone serves it, without a worker or a bank, and a browser to open it.
import type { Browser } from 'playwright-core'
import { type Api, type ApiOptions, startApi } from '../api/client'
import { buildDashboard } from './built-dashboard'
import { openChromium } from './chromium'

export interface ServedDashboard {
  readonly api: Api
  readonly browser: Browser
  close(): Promise<void>
}

export async function serveDashboard(options: ApiOptions = {}): Promise<ServedDashboard> {
  buildDashboard()
  const api = await startApi({ publicUrl: 'http://localhost', ...options })
  try {
    const browser = await openChromium()
    return { api, browser, close: () => browser.close().then(() => api.close()) }
  } catch (error) {
    await api.close()
    throw error
  }
}
