// Pictures of pages, for people who want to look at them: PICTURES=on keeps them in .cache/screenshots. They judge nothing.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { environment } from '../../../runtime/config/config'
import { cache } from './chromium'

/** Only when asked, because drawing a page takes about as long as judging it. */
export async function keepPicture(page: Page, name: string, look: { fullPage?: boolean } = {}): Promise<void> {
  if (environment()['PICTURES'] !== 'on') return
  const path = join(cache, 'screenshots', `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  await page.screenshot({ ...look, path })
}
