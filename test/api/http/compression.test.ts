// Long JSON and CSV responses are compressed by Accept-Encoding. Exports are compressed while they are sent.
import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { type IncomingMessage, request, type Server } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from '@jest/globals'
import Koa from 'koa'
import type { ApiDeps } from '../../../api/deps'
import { answer } from '../../../api/http/answer'
import { csvShape } from '../../../api/http/csv-export'
import { get, type RequestState } from '../../../api/http/route'
import { openToAnyone, validate } from '../../../api/http/steps'
import { portOf, useApi } from '../../support/api/client'
import { aKey, anInvoice, aPayoutRow, aSession, useCaller } from '../../support/api/fixtures'
import { until } from '../../support/until'

const api = useApi()
const { partner, caller } = useCaller(api)

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

const long = '/v1/usage/history'
const short = '/v1/keys?status=revoked'

describe('a JSON response', () => {
  test('is compressed with the encoding that the client accepts', async () => {
    const [identity, gzip, br] = await Promise.all(['identity', 'gzip', 'br'].map((encoding) => read(long, encoding)))

    expect([identity?.encoding, gzip?.encoding, br?.encoding]).toEqual([undefined, 'gzip', 'br'])
    expect(gunzipSync(gzip?.bytes ?? '')).toEqual(identity?.bytes)
    expect(brotliDecompressSync(br?.bytes ?? '')).toEqual(identity?.bytes)
    expect(gzip?.bytes.length).toBeLessThan((identity?.bytes.length ?? 0) / 3)
    expect(gzip?.headers['content-length']).toBe(String(gzip?.bytes.length))
    for (const each of [identity, gzip, br]) expect(each?.headers['vary']).toBe('Accept-Encoding')
  })

  test.each([undefined, '', 'gzip;q=0', 'deflate', 'br;q=0, identity'])(
    'is not compressed for %j',
    async (accepted) => {
      const { encoding, bytes } = await read(long, accepted)

      expect(encoding).toBeUndefined()
      expect(JSON.parse(String(bytes)).object).toBe('list')
    },
  )

  test('is not compressed if it is shorter than 1 kB, or the reply to a write', async () => {
    const brief = await read(short, 'gzip')
    const written = await read('/v1/payouts/check', 'gzip', { method: 'POST' })

    expect([brief.status, brief.encoding, written.encoding]).toEqual([200, undefined, undefined])
  })

  test('has the same length for HEAD', async () => {
    const [whole, head] = [await read(long, 'gzip'), await read(long, 'gzip', { method: 'HEAD' })]

    expect([head.encoding, head.headers['content-length']]).toEqual(['gzip', String(whole.bytes.length)])
    expect(head.bytes).toHaveLength(0)
  })

  test('is not compressed for a signed-in person if a page of another site opens it', async () => {
    const cookie = `__Host-session=${await aSession(api, partner)}`
    const asked = (site: string) => read(long, 'gzip', { headers: { Cookie: cookie, 'Sec-Fetch-Site': site } })

    expect((await asked('same-origin')).encoding).toBe('gzip')
    expect((await asked('none')).encoding).toBe('gzip')
    expect((await asked('cross-site')).encoding).toBeUndefined()
    expect((await asked('same-site')).encoding).toBeUndefined()
  })
})

describe('a file', () => {
  test('is a compressed stream if it is an export, with the same content', async () => {
    for (const reference of ['one', 'two', 'three']) await aPayoutRow(api, partner, { reference })

    const [identity, gzip, br] = await Promise.all(
      ['identity', 'gzip', 'br'].map((encoding) => read('/v1/payouts.csv', encoding)),
    )

    expect(String(identity?.bytes)).toContain('three')
    expect(gunzipSync(gzip?.bytes ?? '')).toEqual(identity?.bytes)
    expect(brotliDecompressSync(br?.bytes ?? '')).toEqual(identity?.bytes)
    expect([gzip?.headers['transfer-encoding'], gzip?.headers['content-length']]).toEqual(['chunked', undefined])
  })

  test('is compressed if it is CSV, and its ETag still gets 304', async () => {
    const lines = Array.from({ length: 12 }, () => aLine())
    const { id } = await anInvoice(api, partner, { period: '2026-09-01' }, lines)
    const headers = { Authorization: `Bearer ${await aKey(api, partner, 'live')}` }
    const path = `/v1/invoices/${id}.csv`

    const [identity, gzip] = [await read(path, 'identity', { headers }), await read(path, 'gzip', { headers })]
    const etags = [identity.headers['etag'] ?? '', gzip.headers['etag'] ?? '']
    const again = await Promise.all(
      etags.map((etag) => read(path, 'gzip', { headers: { ...headers, 'If-None-Match': etag } })),
    )

    expect(gunzipSync(gzip.bytes)).toEqual(identity.bytes)
    expect(etags).toEqual([expect.stringMatching(/^"/), `W/${etags[0]}`])
    expect(again.map(({ status, encoding, headers: { vary } }) => [status, encoding, vary])).toEqual([
      [304, undefined, 'Accept-Encoding'],
      [304, undefined, 'Accept-Encoding'],
    ])
  })

  test('is not compressed again if it is a PDF', async () => {
    const { id } = await anInvoice(api, partner, { period: '2026-09-01' }, [aLine()])
    const headers = { Authorization: `Bearer ${await aKey(api, partner, 'live')}` }

    const { status, encoding, bytes } = await read(`/v1/invoices/${id}.pdf`, 'gzip, br', { headers })

    expect([status, encoding, String(bytes.subarray(0, 5))]).toEqual([200, undefined, '%PDF-'])
  })
})

describe('a long export', () => {
  /** Does not compress well, so the compressor must pass it on. */
  const piece = () => randomBytes(200_000).toString('base64')

  test('is sent before its last row is read', async () => {
    const gate = new EventEmitter()
    const url = await serve(async function* () {
      const opened = once(gate, 'open')
      yield piece()
      await opened
      yield 'last row'
    })

    const response = await open(url)
    await once(response, 'readable')
    gate.emit('open')
    const rest = await readAll(response)

    expect(String(gunzipSync(rest))).toMatch(/last row$/)
  })

  test('is cut off, and not ended as if it were whole, when a read fails', async () => {
    const gate = new EventEmitter()
    const url = await serve(async function* () {
      const opened = once(gate, 'open')
      yield piece()
      await opened
      throw new Error('The database is gone.')
    })

    const response = await open(url)
    await once(response, 'readable')
    gate.emit('open')

    await expect(readAll(response)).rejects.toThrow('aborted')
  })

  test('is no longer read when the client is gone', async () => {
    let isOver = false
    const url = await serve(async function* () {
      try {
        for (;;) {
          yield piece()
          await sleep(1)
        }
      } finally {
        isOver = true
      }
    })

    const response = await open(url)
    await once(response, 'readable')
    response.destroy()

    expect(await until('the rows are no longer read', () => isOver)).toBe(true)
  })
})

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Does not use fetch, which would decompress the body. */
async function read(path: string, accepted: string | undefined, { method = 'GET', headers }: Sent = {}) {
  const sent = headers ?? { Authorization: `Bearer ${caller.key}` }
  const encodings = accepted === undefined ? {} : { 'Accept-Encoding': accepted }
  const response = await open(`${api.url}${path}`, { method, headers: { ...sent, ...encodings } })
  const { statusCode: status, headers: got } = response
  return { status, headers: got, encoding: got['content-encoding'], bytes: await readAll(response) }
}

async function open(url: string, sent: Sent = { headers: { 'Accept-Encoding': 'gzip' } }): Promise<IncomingMessage> {
  const asked = request(url, sent).end()
  const [response] = await once(asked, 'response')
  return response
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await response.toArray())
}

/** Serves the rows through the API's own reply code. */
async function serve(rows: () => AsyncGenerator<string>): Promise<string> {
  const route = get('/', 'exportRows', {
    steps: [openToAnyone, validate(), async () => ({ body: Readable.from(rows()), type: 'text/csv; charset=utf-8' })],
    summary: 'Export rows',
    description: 'Rows of a test.',
    reply: csvShape,
  })
  const app = new Koa<RequestState>()
  app.silent = true
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a public route without a body uses none of them
  app.use(answer(route, {} as ApiDeps))
  const server = app.listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${portOf(server.address())}/`
}

function aLine() {
  return {
    kind: 'payout_fees',
    description: 'Fees',
    quantity: 1,
    unitAmountMicropounds: 1_000_000n,
    amountPence: 100n,
  } as const
}
