// Screenshots of pages for reviewers: PICTURES=on saves them in .cache/screenshots. Tests do not compare them.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { environment } from '../../../runtime/config/config'
import { cache } from './chromium'

/** Saves a screenshot only if PICTURES is on, because rendering a page takes about as long as checking it. */
export async function keepPicture(page: Page, name: string, look: { fullPage?: boolean } = {}): Promise<void> {
  if (environment()['PICTURES'] !== 'on') return
  const path = join(cache, 'screenshots', `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  await page.screenshot({ ...look, path })
}
