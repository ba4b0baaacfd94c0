// /docs and its other formats are complete, up to date and cacheable, and load no third-party script.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { ApiError, errorTable, presentError } from '../../../api/http/errors'
import { routes } from '../../../api/routes'
import { useApi } from '../../support/api/client'
import { aKey, aPartner } from '../../support/api/fixtures'

const publicUrl = 'http://payouts.test'

const api = useApi({ publicUrl })
let key: string
let guide: string

beforeAll(async () => {
  execFileSync(process.execPath, [join(__dirname, '../../../api/docs/build-assets.mjs')])
  key = await aKey(api, await aPartner(api), 'sandbox')
  guide = await (await fetch(`${api.url}/docs/guide.md`)).text()
})

describe('/openapi.json, /llms.txt, /docs and /docs/guide.md', () => {
  test.each([
    ['/openapi.json', 'application/json; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/guide.md', 'text/markdown; charset=utf-8'],
  ])('%s is public, as %s', async (path, type) => {
    const response = await fetch(api.url + path)

    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe(type)
    expect(response.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('a client that has the current text gets 304 and no body', async () => {
    const first = await fetch(`${api.url}/openapi.json`)
    const again = await fetch(`${api.url}/openapi.json`, {
      headers: { 'If-None-Match': first.headers.get('ETag') ?? '' },
    })

    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  test('texts are compressed for clients that accept it, with Vary so that caches keep the encodings apart', async () => {
    const whole = await raw('/openapi.json', 'identity')
    const [br, gzip] = [await raw('/openapi.json', 'br'), await raw('/openapi.json', 'gzip')]

    expect(brotliDecompressSync(br.bytes)).toEqual(whole.bytes)
    expect(gunzipSync(gzip.bytes)).toEqual(whole.bytes)
    expect(br.bytes.length).toBeLessThan(whole.bytes.length / 4)
    expect(br.headers['vary']).toContain('Accept-Encoding')
  })

  test('another method is 405 with Allow', async () => {
    const response = await fetch(`${api.url}/docs`, { method: 'POST' })

    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toContain('GET')
  })

  test('discovery points to the reference', async () => {
    const { body } = await api.get('/v1')

    expect(body['docs']).toBe(`${publicUrl}/docs`)
  })

  test('every link of llms.txt works', async () => {
    const text = await (await fetch(`${api.url}/llms.txt`)).text()
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? '')

    expect(links.length).toBeGreaterThan(2)
    for (const link of links) expect((await fetch(link.replace(publicUrl, api.url))).status).toBe(200)
  })
})

describe('the page', () => {
  test('has no inline script and allows none', async () => {
    const response = await fetch(`${api.url}/docs`)
    const html = await response.text()
    const policy = response.headers.get('Content-Security-Policy') ?? ''

    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("connect-src 'self';")
    expect(html.match(/<script\b[^>]*>[^<]*<\/script>/g)).toEqual([
      expect.stringMatching(/^<script defer src="docs\/assets\/start-\w+\.js"><\/script>$/),
      expect.stringMatching(/^<script defer src="docs\/assets\/scalar-\w+\.js"><\/script>$/),
    ])
    expect(html).not.toMatch(/\son\w+=|javascript:/i)
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//)
  })

  test('loads assets that are named by their content and cached for a year', async () => {
    const html = await (await fetch(`${api.url}/docs`)).text()
    const assets = [...new Set([...html.matchAll(/(?:src|href)="(docs\/assets\/[^"]+)"/g)].map((match) => match[1]))]

    expect(assets).toHaveLength(4)
    for (const asset of assets) {
      const [whole, br, gzip] = await Promise.all(
        ['identity', 'br', 'gzip'].map((encoding) => raw(`/${asset}`, encoding)),
      )
      expect(whole?.headers['cache-control']).toBe('max-age=31536000,immutable')
      expect(whole?.headers['vary']).toContain('Accept-Encoding')
      expect([br?.headers['content-encoding'], gzip?.headers['content-encoding']]).toEqual(['br', 'gzip'])
      expect(whole?.bytes.equals(brotliDecompressSync(br?.bytes ?? ''))).toBe(true)
      expect(whole?.bytes.equals(gunzipSync(gzip?.bytes ?? ''))).toBe(true)
    }
  })

  test.each(['start.js', 'scalar-000000000000.js', '..%2froutes.ts', '%2e%2e%2f%2e%2e%2fpackage.json', '%00', '%ff'])(
    'there is no asset %s',
    async (name) => {
      const response = await fetch(`${api.url}/docs/assets/${name}`)

      expect([400, 404]).toContain(response.status)
      expect(await response.json()).toHaveProperty('error.code')
    },
  )
})

describe('the guide', () => {
  test('lists every error code with its HTTP status, cause and remedy', () => {
    for (const [code, { status, cause, cure }] of Object.entries(errorTable)) {
      expect(guide).toContain(`| ${status} | \`${code}\` | ${cause} | ${cure.replaceAll('<', '&lt;')} |`)
    }
  })

  test('has no placeholders left and names no foreign address', () => {
    expect(guide).not.toContain('{{')
    expect([...guide.matchAll(/https?:\/\/[\w.:-]+/g)].filter(([address]) => address !== publicUrl)).toEqual([])
  })

  test('is the introduction of the reference', async () => {
    const { info } = JSON.parse(await (await fetch(`${api.url}/openapi.json`)).text())

    expect(guide).toBe(`# ${info.title}\n\n${info.description}`)
  })

  test('shows a payout with its Idempotency-Key that the API accepts', () => {
    const open = routes.some(({ method, path }) => method === 'POST' && path === '/v1/payouts')
    const shown = blocks('sh').filter((block) => block.includes('Idempotency-Key'))

    expect([open, shown.length]).toEqual([true, 1])
    expect(guide).not.toMatch(/not open yet; it comes|once payouts are open/i)
  })

  test('shows an error in the format of the API', async () => {
    const shown = blocks('json').find((block) => block.includes('"error"'))

    expect(JSON.parse(shown ?? '')).toEqual(presentError(new ApiError('invalid_amount')))
  })
})

/** Without curl these tests are reported as skipped. */
const withCurl = spawnSync('curl', ['--version']).status === 0 ? describe : describe.skip

withCurl('the examples of the guide', () => {
  test('every curl line works when pasted', async () => {
    const examples = blocks('sh')

    expect(examples.length).toBeGreaterThanOrEqual(5)
    for (const example of examples) expect(await run(example)).toHaveProperty('object')
  })

  test('the quote shown is the quote returned', async () => {
    const example = blocks('sh').find((block) => block.includes('/v1/quotes')) ?? ''
    const shown = blocks('json').find((block) => block.includes('"quote"')) ?? ''

    expect(await run(example)).toEqual(JSON.parse(shown))
  })
})

function blocks(language: string): string[] {
  return [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, of, text]) =>
    of === language && text ? [text] : [],
  )
}

/** Runs the example in a shell with the key in its variable, as a reader would. An API error fails the test. */
async function run(example: string): Promise<unknown> {
  const script = example
    .replaceAll(publicUrl, api.url)
    .replaceAll('curl ', 'curl --silent --show-error --fail-with-body ')
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
    env: { PATH: process.env['PATH'], PAYOUTS_KEY: key },
  })
  return JSON.parse(stdout)
}

/** Does not use fetch, which would decompress the body. */
function raw(path: string, encoding: string): Promise<{ headers: NodeJS.Dict<string>; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    request(`${api.url}${path}`, { headers: { 'Accept-Encoding': encoding } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ headers: flat(response.headers), bytes: Buffer.concat(chunks) }))
    })
      .on('error', reject)
      .end()
  })
}

function flat(headers: NodeJS.Dict<string | string[]>): NodeJS.Dict<string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
