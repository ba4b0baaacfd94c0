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

describe('the page', () => {
  test.each(['/dashboard', '/dashboard/payouts/x', '/sign-in', '/sign-up', '/p/acme'])(
    '%s is the same page, and never cached',
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

  test('the root path is still the discovery endpoint', async () => {
    expect((await api.get('/')).body).toMatchObject({ version: '1.3.0' })
  })
})

describe('the files of the dashboard', () => {
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

  test('the first load is at most 200 kB of compressed JavaScript', async () => {
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
