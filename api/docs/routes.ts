// The public documents: /docs, the guide as Markdown, the OpenAPI documents, a Postman collection, an index for language
// models, and security.txt.
import type Router from '@koa/router'
import { send } from '@koa/send'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { answerText, once, prepareText } from '../http/prepared-text'
import type { ApiContext, RequestState } from '../http/route'
import { openApiDocument } from '../openapi'
import { routes } from '../routes'
import { apiVersion } from './discovery'
import { writeGuide, writeIndex } from './guide'
import { type Assets, findAssets, page, pagePolicy } from './page/html'
import { postmanCollection } from './postman'

const about = { title: 'Payouts API', version: apiVersion }
const forDashboard =
  'Every route, as the dashboard calls it with the session of a person. Programs use an API key instead, and `/openapi.json`.'
const json = 'application/json; charset=utf-8'
const dayMs = 24 * 60 * 60 * 1000
const yearMs = 365 * dayMs
/** RFC 9116 recommends less than a year. */
const halfYearMs = 182 * dayMs

export function docs(router: Router<RequestState>, { config, clock }: ApiDeps): void {
  const { publicUrl } = config
  const texts = publicTexts(config)
  const assets = once(findAssets)
  router.get('/openapi.json', (context) => answerText(context, texts.openapi()))
  router.get('/openapi.dashboard.json', (context) => answerText(context, texts.dashboard()))
  router.get('/postman.json', (context) => answerText(context, texts.postman()))
  router.get('/llms.txt', (context) => answerText(context, texts.index()))
  router.get('/docs/guide.md', (context) => answerText(context, texts.guide()))
  const reference = once(() => prepareText('text/html; charset=utf-8', page({ ...about, assets: assets() })))
  router.get('/docs', (context) => {
    context.set('Content-Security-Policy', pagePolicy)
    answerText(context, reference())
  })
  router.get('/docs/assets/:name', (context) => sendAsset(context, assets()))
  router.get('/.well-known/security.txt', (context) => {
    const email = config.opsEmail ?? config.seller?.email
    // RFC 9116 requires a contact, so without one there is no file.
    if (email === undefined) throw new ApiError('route_not_found')
    context.type = 'text/plain; charset=utf-8'
    context.body = writeSecurityText({ email, publicUrl, now: clock.now() })
  })
}

function publicTexts({ publicUrl, supportEmail }: ApiDeps['config']) {
  const guide = once(() => writeGuide(publicUrl))
  const described = () => ({ ...about, publicUrl, guide: guide(), email: supportEmail ?? undefined })
  const document = once(() => openApiDocument(routes, described(), 'partner'))
  const forPages = () => openApiDocument(routes, { ...described(), guide: forDashboard }, 'dashboard')
  return {
    guide: once(() => prepareText('text/markdown; charset=utf-8', `# ${about.title}\n\n${guide()}`)),
    openapi: once(() => prepareText(json, JSON.stringify(document()))),
    dashboard: once(() => prepareText(json, JSON.stringify(forPages()))),
    postman: once(() => prepareText(json, JSON.stringify(postmanCollection(document())))),
    index: once(() => prepareText('text/plain; charset=utf-8', writeIndex(routes, { ...about, publicUrl }))),
  }
}

async function sendAsset(context: ApiContext, assets: Assets): Promise<void> {
  const name = context.params?.['name'] ?? ''
  if (!Object.values(assets.names).includes(name)) throw new ApiError('route_not_found')
  context.vary('Accept-Encoding')
  // `send` keeps an existing Cache-Control header, and the default header is no-store.
  context.remove('Cache-Control')
  await send(context, name, { root: assets.folder, maxAge: yearMs, immutable: true })
}

/**
 * The format is RFC 9116. `Expires` is computed for each request: the contact is always current, because it comes from
 * the configuration.
 */
function writeSecurityText({ email, publicUrl, now }: { email: string; publicUrl: string; now: Date }): string {
  const expires = new Date(now.getTime() + halfYearMs).toISOString().slice(0, 10)
  return `Contact: mailto:${email.replaceAll(/[^\w.@+-]/g, encodeURIComponent)}
Expires: ${expires}T00:00:00Z
Preferred-Languages: en
Canonical: ${publicUrl}/.well-known/security.txt
`
}
