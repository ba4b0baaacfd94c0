// Serves the dashboard: one page for all of its paths, and assets whose names contain a content hash. At other paths, a
// browser gets a page with links to the dashboard.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Router from '@koa/router'
import { send } from '@koa/send'
import type { Next } from 'koa'
import { isSimulatedBank } from '../rail/simulated-bank'
import type { ApiDeps } from './deps'
import { startOfPage } from './docs/page/html'
import { ApiError } from './http/errors'
import { answerText, once, prepareText } from './http/prepared-text'
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
  const page = once(() => prepareText('text/html; charset=utf-8', writePage(config)))
  router.get('/dashboard/assets/:name', sendAsset)
  for (const address of addresses) {
    router.get(address, (context) => {
      // Written for the first request, so that the API can start without a dashboard build.
      const text = page()
      context.set('Content-Security-Policy', pagePolicy)
      context.set('Cross-Origin-Opener-Policy', 'same-origin')
      answerText(context, text)
      // After an upgrade, a cached page would request deleted files.
      context.set('Cache-Control', 'no-store')
    })
  }
}

/**
 * Shows a browser a page with links instead of JSON, at `/` and for an unknown path. API clients get JSON, and so does
 * every request under /v1.
 */
export async function leadBrowser(context: ApiContext, next: Next): Promise<void> {
  if (!isFromBrowser(context)) return next()
  if (context.path === '/') return showPage(context, startPage)
  try {
    await next()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'route_not_found')) throw error
    context.status = error.status
    showPage(context, unknownPage)
  }
}

function showPage(context: ApiContext, page: string): void {
  context.set('Content-Security-Policy', plainPagePolicy)
  context.set('Cross-Origin-Opener-Policy', 'same-origin')
  context.vary('Accept')
  context.type = 'text/html; charset=utf-8'
  context.body = page
}

/** A browser prefers HTML. API clients prefer JSON or accept anything. */
function isFromBrowser(context: ApiContext): boolean {
  if (/^\/v1(\/|$)/.test(context.path) || !['GET', 'HEAD'].includes(context.method)) return false
  return context.accepts('json', 'html') === 'html'
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
  // `send` keeps an existing Cache-Control header, and the default header is no-store.
  context.remove('Cache-Control')
  await send(context, name, { root: folder, maxAge: yearMs, immutable: true })
}

/** Embeds the settings that the page needs before sign-in. */
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

const plainPageStyle = `:root { color-scheme: light dark; }
body { margin: 15vh auto; max-width: 40rem; padding: 0 1.5rem; font: 1rem/1.5 system-ui, sans-serif;
  color: light-dark(#1a1b1e, #ecedef); background: light-dark(#f7f7f5, #0e1012); }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; }
p { margin: 0; }
a { color: light-dark(#0f766e, #2dd4bf); }`

const startPage = plainPage(
  'Payouts',
  '<a href="/dashboard">Open the dashboard</a>, or read the <a href="/docs">API reference</a>.',
)

const unknownPage = plainPage(
  'Page not found',
  'Check the address, or go to the <a href="/dashboard">dashboard</a> or the <a href="/docs">API reference</a>.',
)

function plainPage(heading: string, html: string): string {
  return `${startOfPage(heading)}<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<style>${plainPageStyle}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
<p>${html}</p>
</main>
</body>
</html>
`
}

/** Allows only the page's own inline style. */
const plainPagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(plainPageStyle).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
