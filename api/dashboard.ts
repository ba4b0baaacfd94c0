// Serves the dashboard: one page for all of its paths, and assets whose names contain a content hash.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Router from '@koa/router'
import { send } from '@koa/send'
import { isSimulatedBank } from '../rail/simulated-bank'
import type { ApiDeps } from './deps'
import { ApiError } from './http/errors'
import { answerText, type PreparedText, prepareText } from './http/prepared-text'
import type { ApiContext, RequestState } from './http/route'

const addresses = ['/dashboard', '/dashboard/{*page}', '/sign-in', '/sign-up', '/p/:slug']
const yearMs = 365 * 24 * 60 * 60 * 1000

/** Allows only our own files, and no inline scripts or styles. The preview of a chosen logo is a data: URL. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function dashboard(router: Router<RequestState>, { config }: ApiDeps): void {
  let page: PreparedText | null = null
  router.get('/dashboard/assets/:name', sendAsset)
  for (const address of addresses) {
    router.get(address, (context) => {
      // Read at the first request, so that an API without a dashboard build can start.
      page ??= prepareText('text/html; charset=utf-8', writePage(config))
      context.set('Content-Security-Policy', pagePolicy)
      context.set('Cross-Origin-Opener-Policy', 'same-origin')
      answerText(context, page)
      // A cached page from before an upgrade would request deleted files.
      context.set('Cache-Control', 'no-store')
    })
  }
}

const folders = [join(__dirname, '../dashboard'), join(__dirname, '../dist/dashboard')]

/** The build is next to the compiled version of this file. If the sources run directly, as in tests, it is in dist. */
function builtFolder(): string {
  const folder = folders.find((each) => existsSync(join(each, 'assets')))
  if (!folder) throw new Error('The dashboard is not built yet: run `npm run build`.')
  return folder
}

async function sendAsset(context: ApiContext): Promise<void> {
  const name = context.params?.['name'] ?? ''
  const folder = join(builtFolder(), 'assets')
  if (!/^[\w-]+\.(js|css|svg|woff2)$/.test(name) || !existsSync(join(folder, name)))
    throw new ApiError('route_not_found')
  context.vary('Accept-Encoding')
  // Otherwise the default no-store of every response would remain.
  context.remove('Cache-Control')
  await send(context, name, { root: folder, maxAge: yearMs, immutable: true })
}

/** Writes the settings that the page needs before sign-in into the page. */
function writePage({ signUp, mailInboxUrl, supportEmail, bank }: ApiDeps['config']): string {
  const facts = {
    sign_up: signUp === 'on',
    mail_inbox_url: mailInboxUrl,
    support_email: supportEmail,
    live_is_simulated: bank.live !== null && isSimulatedBank(bank.live),
    sandbox_is_simulated: bank.sandbox !== null && isSimulatedBank(bank.sandbox),
  }
  const html = readFileSync(join(builtFolder(), 'index.html'), 'utf8')
  return html.replace('content="{}"', () => `content="${escapeHtml(JSON.stringify(facts))}"`)
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
