// A real browser for the tests: the machine's own Chromium, or the one in an npm package.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { environment } from '../../../runtime/config/config'

export const cache = join(__dirname, '../../../.cache')

export async function openChromium(moreFlags: readonly string[] = []): Promise<Browser> {
  const { executablePath, env } = await findChromium()
  return chromium.launch({ executablePath, args: [...flags, ...moreFlags], env: { ...environment(), ...env } })
}

/** Disables Chromium's sandbox, because tests may run as root, and disables its background requests. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--no-first-run',
  // All pages of a context share one process, so that a page can use code that an earlier one has compiled.
  '--renderer-process-limit=1',
  '--no-default-browser-check',
]

interface Found {
  readonly executablePath: string
  readonly env: Readonly<Record<string, string>>
}

async function findChromium(): Promise<Found> {
  const chosen = environment()['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  if (environment()['CHROMIUM_PATH'] || existsSync(chosen)) return { executablePath: chosen, env: {} }
  // The package contains only a browser for Linux on x64.
  if (process.platform === 'linux' && process.arch === 'x64') return unpackChromium()
  throw new Error('Browser tests need Chromium: install it (Debian: apt install chromium) or set CHROMIUM_PATH.')
}

/** Unpacks into a separate folder and then renames it, because a concurrent test run may do the same. */
async function unpackChromium(): Promise<Found> {
  const folder = join(cache, 'chromium-143')
  if (!existsSync(folder)) {
    const aside = `${folder}.${process.pid}`
    await mkdir(aside, { recursive: true })
    await promisify(execFile)(process.execPath, ['-e', "require('@sparticuz/chromium').executablePath()"], {
      cwd: __dirname,
      // The package unpacks into TMPDIR. It unpacks its libraries only if it detects a Lambda.
      env: { ...environment(), TMPDIR: aside, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    })
    await writeFile(join(aside, 'fonts.conf'), fontsConf(folder))
    await rename(aside, folder).catch(() => rm(aside, { recursive: true }))
  }
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}

/** Configures fonts, because a minimal machine has none, and a browser without fonts draws no text. */
function fontsConf(folder: string): string {
  const fonts = ['/usr/share/fonts', join(folder, 'fonts')].map((each) => `<dir>${each}</dir>`).join('')
  return `<?xml version="1.0"?><fontconfig>${fonts}<cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>`
}
