// How the dashboard is served: content security policy, caching, compression and size.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api/client'
import { buildDashboard } from '../support/browser/built-dashboard'

const assets = join(__dirname, '../../dist/dashboard/assets')
const mailInboxUrl = 'http://127.0.0.1:8025/?"><script>alert(1)</script>'

beforeAll(buildDashboard)
const api = useApi({ mailInboxUrl, signUp: 'off' })

describe('the dashboard page', () => {
  test.each(['/dashboard', '/dashboard/payouts/x', '/sign-in', '/sign-up', '/p/acme'])(
    'is returned for %s and never cached',
    async (path) => {
      const answer = await fetch(api.url + path)

      expect(answer.status).toBe(200)
      expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('Cache-Control')).toBe('no-store')
      expect(await answer.text()).toContain('<div id="app">')
    },
  )

  test('allows scripts, styles and images from our own server only, and cannot be framed', async () => {
    const policy = (await fetch(`${api.url}/dashboard`)).headers.get('Content-Security-Policy') ?? ''

    expect(policy).not.toContain('unsafe')
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]),
    )
  })

  test('contains the public configuration as text, never as markup', async () => {
    const html = await (await fetch(`${api.url}/sign-in`)).text()

    expect(html).not.toContain('<script>')
    const content = /<meta name="payouts" content="([^"]*)"/.exec(html)?.[1] ?? ''
    expect(JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'))).toEqual({
      sign_up: false,
      mail_inbox_url: mailInboxUrl,
      support_email: null,
      live_is_simulated: false,
      sandbox_is_simulated: false,
    })
  })

  test('is not returned for the root path, which is the discovery endpoint', async () => {
    expect((await api.get('/')).body).toMatchObject({ version: '1.3.0' })
  })
})

describe('a browser', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'
  const open = (path: string, accept = browser) => fetch(api.url + path, { headers: { Accept: accept } })

  test.each([
    ['/', 200, 'Payouts'],
    ['/?source=email', 200, 'Payouts'],
    ['/nowhere', 404, 'Page not found'],
    ['/payouts/1', 404, 'Page not found'],
    ['/v2/payouts', 404, 'Page not found'],
    ['/v10', 404, 'Page not found'],
    ['/docs/assets/none.js', 404, 'Page not found'],
    ['/dashboard/assets/none.js', 404, 'Page not found'],
  ])('gets a page for %s, with links to the dashboard and the API reference', async (path, status, title) => {
    const answer = await open(path)

    expect(answer.status).toBe(status)
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('Vary')).toContain('Accept')
    const html = await answer.text()
    expect(html).toContain(`<title>${title}</title>`)
    expect([...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['/dashboard', '/docs'])
  })

  test('gets that page with the same protection as other pages', async () => {
    const [answer, dashboard] = await Promise.all([open('/nowhere'), open('/dashboard')])
    const policy = answer.headers.get('Content-Security-Policy') ?? ''

    expect(policy).not.toContain('unsafe')
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]),
    )
    const others = ['Cache-Control', 'Cross-Origin-Opener-Policy', 'Referrer-Policy', 'X-Content-Type-Options']
    for (const name of [...others, 'Cross-Origin-Resource-Policy', 'X-Frame-Options'])
      expect([name, answer.headers.get(name)]).toEqual([name, dashboard.headers.get(name)])
    expect(answer.headers.get('X-Request-Id')).not.toBeNull()
  })

  test.each([
    ['*/*', '/nowhere'],
    ['application/json', '/nowhere'],
    ['application/json, text/html;q=0.9', '/nowhere'],
    [browser, '/v1/nowhere'],
    [browser, '/v1/'],
  ])('is not assumed for Accept: %s on %s', async (accept, path) => {
    const answer = await open(path, accept)

    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ error: { code: 'route_not_found' } })
  })

  test('gets JSON for a wrong method, and API clients get JSON for the root path', async () => {
    const wrong = await fetch(`${api.url}/nowhere`, { method: 'POST', headers: { Accept: browser } })
    const discovery = await Promise.all([open('/', '*/*'), open('/', 'application/json'), open('/v1')])

    expect(await wrong.json()).toMatchObject({ error: { code: 'route_not_found' } })
    expect(discovery.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const answer of discovery) expect(await answer.json()).toMatchObject({ version: '1.3.0' })
  })
})

describe('the dashboard’s files', () => {
  const script = () => readdirSync(assets).find((name) => /^index-.*\.js$/.test(name)) ?? ''

  test('are cached for a year and compressed', async () => {
    const answer = await fetch(`${api.url}/dashboard/assets/${script()}`, { headers: { 'Accept-Encoding': 'br' } })

    expect(answer.status).toBe(200)
    expect(answer.headers.get('Cache-Control')).toBe('max-age=31536000,immutable')
    expect(answer.headers.get('Content-Encoding')).toBe('br')
    expect(answer.headers.get('Vary')).toContain('Accept-Encoding')
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
  })

  test.each(['none.js', '..%2findex.html', '%2e%2e%2f%2e%2e%2fapi%2fmain.js', `x${'y'.repeat(300)}.js`, '.js'])(
    'do not include %s',
    async (name) => {
      const answer = await fetch(`${api.url}/dashboard/assets/${name}`)

      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ error: { code: 'route_not_found' } })
    },
  )

  test('add at most 200 kB of compressed JavaScript to the first load', async () => {
    const html = await (await fetch(`${api.url}/dashboard`)).text()
    const first = [...html.matchAll(/assets\/([\w-]+\.js)"/g)].map(([, name = '']) => name)
    const home = readdirSync(assets).filter((name) =>
      /^(home|payouts-table|table|bars-chart|money|moment)-.*\.js$/.test(name),
    )
    const bytes = [...first, ...home].map((name) => readFileSync(join(assets, `${name}.gz`)).length)

    expect(first.length).toBeGreaterThan(0)
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(200_000)
  })
})
