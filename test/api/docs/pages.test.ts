// /docs and its other formats are complete, up to date and cacheable, and load no third-party script.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ApiError, errorTable, presentError } from '../../../api/http/errors'
import { failureTable } from '../../../api/payouts/present'
import { routes } from '../../../api/routes'
import { useApi } from '../../support/api/client'
import { aKey, aPartner } from '../../support/api/fixtures'
import { read, sourceFiles } from '../../support/source-imports'

const publicUrl = 'http://payouts.test'

const api = useApi({ publicUrl })
let key: string
let guide: string
/** The examples write files here. */
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-guide-'))
  execFileSync(process.execPath, [join(__dirname, '../../../api/docs/build-assets.mjs')])
  key = await aKey(api, await aPartner(api), 'sandbox')
  guide = await (await fetch(`${api.url}/docs/guide.md`)).text()
})

afterAll(() => rmSync(folder, { recursive: true }))

describe('the documentation', () => {
  test.each([
    ['/openapi.json', 'application/json; charset=utf-8'],
    ['/openapi.dashboard.json', 'application/json; charset=utf-8'],
    ['/postman.json', 'application/json; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/guide.md', 'text/markdown; charset=utf-8'],
  ])('includes %s, which is public and has the content type %s', async (path, type) => {
    const response = await fetch(api.url + path)

    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe(type)
    expect(response.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('is not sent again to a client that has the current version, which gets 304', async () => {
    const first = await fetch(`${api.url}/openapi.json`)
    const again = await fetch(`${api.url}/openapi.json`, {
      headers: { 'If-None-Match': first.headers.get('ETag') ?? '' },
    })

    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  test('is compressed for clients that accept it, with a Vary header for caches', async () => {
    const whole = await raw('/openapi.json', 'identity')
    const [br, gzip] = [await raw('/openapi.json', 'br'), await raw('/openapi.json', 'gzip')]

    expect(brotliDecompressSync(br.bytes)).toEqual(whole.bytes)
    expect(gunzipSync(gzip.bytes)).toEqual(whole.bytes)
    expect(br.bytes.length).toBeLessThan(whole.bytes.length / 4)
    expect(br.headers['vary']).toContain('Accept-Encoding')
  })

  test('answers other methods with 405 and an Allow header', async () => {
    const response = await fetch(`${api.url}/docs`, { method: 'POST' })

    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toContain('GET')
  })

  test('is linked from the discovery endpoint', async () => {
    const { body } = await api.get('/v1')

    expect(body['docs']).toBe(`${publicUrl}/docs`)
  })

  test('has only working links in llms.txt', async () => {
    const text = await (await fetch(`${api.url}/llms.txt`)).text()
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? '')

    expect(links.length).toBeGreaterThan(2)
    for (const link of links) expect((await fetch(link.replace(publicUrl, api.url))).status).toBe(200)
  })

  test('lists every operation in llms.txt with its OpenAPI path and the access that it needs', async () => {
    const text = await (await fetch(`${api.url}/llms.txt`)).text()
    const document = await readJson('/openapi.dashboard.json')
    const listed = [...text.matchAll(/^- `(\w+) (\S+)` \((\w+)\): /gm)].map((match) => match.slice(1, 4))

    expect(new Set(listed.map(([method, path]) => `${method} ${path}`))).toEqual(new Set(operationsIn(document)))
    expect(listed).toHaveLength(routes.length)
    expect(listed).toEqual(
      expect.arrayContaining([
        ['GET', '/v1/payouts/{id}', 'key'],
        ['GET', '/v1/members', 'viewer'],
        ['POST', '/v1/members', 'admin'],
        ['GET', '/v1', 'public'],
      ]),
    )
  })
})

async function readJson(path: string) {
  return JSON.parse(await (await fetch(api.url + path)).text())
}

function operationsIn({ paths }: { paths: Readonly<Record<string, object>> }): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

describe('the reference page', () => {
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
    'has no asset %s',
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
      expect(guide).toContain(`| ${status} | \`${code}\` | ${cause} | ${cure.replaceAll('<', String.raw`\<`)} |`)
    }
  })

  test('lists every failure code that the code writes, with its meaning and remedy', () => {
    const files = sourceFiles().filter((file) => /^(activities\/payouts\/|rail\/reasons)/.test(file))
    const written = files.flatMap((file) => [...read(file).matchAll(/['`]([a-z_]+): [A-Z$]/g)])
    const codes = new Set(written.map(([, code = '']) => code))
    // A payout refused for partner_not_ready has the code not_sent. `waiting` starts a text for operators.
    for (const other of ['partner_not_ready', 'waiting']) codes.delete(other)

    expect([...codes].toSorted()).toEqual(Object.keys(failureTable).toSorted())
    for (const [code, { meaning, cure }] of Object.entries(failureTable)) {
      expect(guide).toContain(`| \`${code}\` | ${meaning} | ${cure} |`)
    }
  })

  test('contains no HTML entities and no HTML tags', () => {
    const text = guide.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`]*`/g, '')

    expect(text.match(/&(#\w+|\w+);|(?<!\\)<\w/g)).toBeNull()
  })

  test('contains no placeholders and no URLs of other servers', () => {
    expect(guide).not.toContain('{{')
    expect([...guide.matchAll(/https?:\/\/[\w.:-]+/g)].filter(([address]) => address !== publicUrl)).toEqual([])
  })

  test('is the introduction of the reference', async () => {
    const { info } = JSON.parse(await (await fetch(`${api.url}/openapi.json`)).text())

    expect(guide).toBe(`# ${info.title}\n\n${info.description}`)
  })

  test('shows one request with an Idempotency-Key, and never claims that payouts are not open yet', () => {
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

/** Without curl, these tests are reported as skipped. */
const withCurl = spawnSync('curl', ['--version']).status === 0 ? describe : describe.skip

withCurl('the guide’s examples', () => {
  test('work when pasted into a shell', async () => {
    const examples = blocks('sh')

    expect(examples.length).toBeGreaterThanOrEqual(5)
    for (const example of examples) expect(await run(example)).toHaveProperty('object')
  })

  test.each([
    ['quote', '/v1/quotes'],
    ['payout_check', '/v1/payouts/check'],
  ])('show the %s that the API returns', async (object, path) => {
    const example = blocks('sh').find((block) => block.includes(path)) ?? ''
    const shown = blocks('json').find((block) => block.includes(`"${object}"`)) ?? ''

    expect(await run(example)).toEqual(JSON.parse(shown))
  })
})

function blocks(language: string): string[] {
  return [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, of, text]) =>
    of === language && text ? [text] : [],
  )
}

/** Runs the example in a shell with PAYOUTS_KEY set, as a reader would. An API error fails the test. */
async function run(example: string): Promise<unknown> {
  const script = example
    .replaceAll(publicUrl, api.url)
    .replaceAll('curl ', 'curl --silent --show-error --fail-with-body ')
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
    cwd: folder,
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
