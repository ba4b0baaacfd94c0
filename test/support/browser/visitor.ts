// A dashboard user in a real browser, and the errors that the browser reports.
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { keepPicture } from './pictures'

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** Runs every axe rule, but reports only violations. */
const violations = 'axe.run({ resultTypes: ["violations"] }).then((result) => result.violations)'

export interface Visitor {
  readonly page: Page
  go(path: string): Promise<void>
  /** Resolves when no element is busy or waiting, and the fonts are loaded. */
  settled(): Promise<void>
  picture(name: string): Promise<void>
  /** Returns the axe violations, one line each. */
  faults(): Promise<string[]>
  /** Thrown errors, logged errors such as violations of the content security policy, and requests to other servers. */
  readonly complaints: string[]
  /** Does nothing if the visitor has already left. */
  leave(): Promise<void>
}

export interface VisitorOptions {
  readonly session?: string
  readonly colorScheme?: 'light' | 'dark'
  readonly forcedColors?: 'active'
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly timezoneId?: string
  /** Whether the visitor has a new context, which no other visitor uses. */
  readonly ownContext?: boolean
  /**
   * Whether the dashboard may preload all its pages, which takes as long as opening the first one. Playwright's clock
   * replaces requestIdleCallback again, so a test that installs the clock may preload too.
   */
  readonly preloads?: boolean
}

export const desktop = { width: 1280, height: 860 }

/** Long enough for a busy machine. */
const timeoutMs = 120_000

export async function aVisitor(browser: Browser, url: string, options: VisitorOptions = {}): Promise<Visitor> {
  const { session, viewport, colorScheme = 'light', forcedColors = 'none' } = options
  const isReusable = !options.ownContext && !options.preloads && options.timezoneId === undefined
  const page = (isReusable && usedContexts.get(browser)?.pop()) || (await openContext(browser, options))
  const context = page.context()
  if (session !== undefined) await context.addCookies([{ name: 'session', value: session, url, httpOnly: true }])
  await page.emulateMedia({ colorScheme, forcedColors })
  if (viewport !== undefined) await page.setViewportSize(viewport)
  const complaints = listen(page, url)
  let hasLeft = false
  const settled = async () => {
    await page.locator('[aria-busy=true], [data-waiting]').first().waitFor({ state: 'detached' })
    await page.evaluate('document.fonts.ready.then(() => null)')
  }
  return {
    page,
    complaints,
    async go(path) {
      await page.goto(url + path)
      await page.locator('h1').first().waitFor()
      await settled()
    },
    settled,
    picture: (name) => keepPicture(page, `dashboard/${name}`, { fullPage: true }),
    async faults() {
      if (!(await page.evaluate('"axe" in window'))) await loadAxe(page)
      const found: Fault[] = await page.evaluate(violations)
      return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    },
    async leave() {
      if (hasLeft) return
      hasLeft = true
      const next = isReusable ? await forgetVisitor(page, url).catch(() => null) : null
      if (next === null) return context.close()
      usedContexts.set(browser, [...(usedContexts.get(browser) ?? []), next])
    },
  }
}

/**
 * An empty page of each context that a visitor has left. In such a context, the first page of the next visitor takes a
 * quarter less processor time, because its files are cached. A test that changes its context in a way that forgetVisitor
 * does not undo must visit with `ownContext`.
 */
const usedContexts = new WeakMap<Browser, Page[]>()

async function openContext(
  browser: Browser,
  { timezoneId = 'Europe/London', preloads = false }: VisitorOptions,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: desktop,
    locale: 'en-GB',
    timezoneId,
    // During a transition, colours match neither theme.
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(timeoutMs)
  // The dashboard preloads when the browser is idle.
  if (!preloads) await context.addInitScript('window.requestIdleCallback = () => 0')
  return context.newPage()
}

/** Uses the code that V8 has compiled for an earlier page. `page.evaluate` would compile it again. */
async function loadAxe(page: Page): Promise<void> {
  const debug = await page.context().newCDPSession(page)
  await debug.send('Runtime.evaluate', { expression: axe })
  await debug.detach()
}

/** Returns an empty page, or null if the context would still affect the next visitor. */
async function forgetVisitor(page: Page, url: string): Promise<Page | null> {
  const context = page.context()
  // Playwright has no public call that removes a clock from a context.
  if (page.isClosed() || (await page.evaluate('"__pwClock" in window'))) return null
  const next = await context.newPage()
  for (const other of context.pages()) if (other !== next) await other.close()
  await Promise.all([
    context.clearCookies(),
    context.clearPermissions(),
    context.setOffline(false),
    context.unrouteAll(),
  ])
  const network = await context.newCDPSession(next)
  const storageTypes = 'local_storage,indexeddb,cache_storage,service_workers'
  await network.send('Storage.clearDataForOrigin', { origin: new URL(url).origin, storageTypes })
  await network.detach()
  return next
}

interface Fault {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

function listen(page: Page, url: string): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // The browser logs every 4xx response as an error, but the page expects and shows these responses.
    if (message.type() === 'error' && !/the server responded with a status of 4\d\d/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) complaints.push(`asked ${request.url()}`)
  })
  return complaints
}
