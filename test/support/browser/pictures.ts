// Screenshots of pages for people: PICTURES=on keeps them in .cache/screenshots. They are not compared.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { environment } from '../../../runtime/config/config'
import { cache } from './chromium'

/** Only on request, because drawing a page takes about as long as checking it. */
export async function keepPicture(page: Page, name: string, look: { fullPage?: boolean } = {}): Promise<void> {
  if (environment()['PICTURES'] !== 'on') return
  const path = join(cache, 'screenshots', `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  await page.screenshot({ ...look, path })
}
