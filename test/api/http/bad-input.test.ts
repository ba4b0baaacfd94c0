// Any bad input gets a 4xx with the usual error format and the right code, never a 500 or a hang.
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { routes } from '../../../api/routes'
import { startApi, useApi } from '../../support/api/client'
import { aKey, aPartner } from '../../support/api/fixtures'
import { fromOurPages } from '../../support/api/people'

const api = useApi()
let key: string

beforeAll(async () => {
  key = await aKey(api, await aPartner(api), 'sandbox')
})

async function send(
  body: Buffer | string,
  headers: Record<string, string> = {},
): Promise<{ status: number; code: string }> {
  const response = await fetch(`${api.url}/v1/quotes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  const answer: { error?: { code: string } } = JSON.parse(await response.text())
  return { status: response.status, code: answer.error?.code ?? 'none' }
}

describe('when the body cannot be read', () => {
  test.each([
    ['an empty body', ''],
    ['half an object', '{"amount_gbp":'],
    ['form data', 'amount_gbp=1.00'],
    ['a byte that is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a byte order mark', '\uFEFF{"amount_gbp":"1.00"}'],
    ['two amounts', '{"amount_gbp":"1.00","amount_gbp":"9.00"}'],
    ['two amounts (one of them escaped)', '{"amount_gbp":"1.00","amount\\u005fgbp":"9.00"}'],
  ])('%s is 400 invalid_json', async (_name, body) => {
    expect(await send(body)).toEqual({ status: 400, code: 'invalid_json' })
  })

  test.each([
    ['text/plain', { 'Content-Type': 'text/plain' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['another character set', { 'Content-Type': 'application/json; charset=latin1' }],
    ['a missing content type', { 'Content-Type': '' }],
    ['a compressed body', { 'Content-Encoding': 'gzip' }],
  ])('%s is 415 unsupported_media_type', async (_name, headers) => {
    expect(await send('{"amount_gbp":"1.00"}', headers)).toEqual({ status: 415, code: 'unsupported_media_type' })
  })

  test('a gzip bomb is 415 unsupported_media_type', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, 0x20))

    expect(await send(bomb, { 'Content-Encoding': 'gzip' })).toEqual({ status: 415, code: 'unsupported_media_type' })
  })

  test.each([65 * 1024, 10 * 1024 * 1024])('a body of %d bytes is 413 payload_too_large', async (bytes) => {
    expect(await send(`"${'x'.repeat(bytes)}"`)).toEqual({ status: 413, code: 'payload_too_large' })
  })

  test('a body over 64 KiB without a Content-Length is 413', async () => {
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < 20; sent++) yield new Uint8Array(8192).fill(0x20)
    }

    const response = await fetch(`${api.url}/v1/quotes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: chunks(),
      duplex: 'half',
    })

    expect(response.status).toBe(413)
  })
})

describe('when the body is invalid', () => {
  test.each([
    ['a number', '{"amount_gbp":100}'],
    ['an exponent', '{"amount_gbp":"1e3"}'],
    ['a negative number', '{"amount_gbp":"-1.00"}'],
    ['unicode digits', '{"amount_gbp":"１.00"}'],
    ['a trailing newline', '{"amount_gbp":"1.00\\n"}'],
    ['a single decimal', '{"amount_gbp":"1.0"}'],
    ['below the minimum', '{"amount_gbp":"0.99"}'],
    ['above the maximum', '{"amount_gbp":"20000.01"}'],
    ['a huge number', `{"amount_gbp":"${'9'.repeat(5000)}.00"}`],
    ['null', '{"amount_gbp":null}'],
    ['an object', '{"amount_gbp":{"valueOf":"1.00"}}'],
    ['no amount', '{}'],
    ['zero, with an invalid country', '{"amount_gbp":"0.00","country":"FR"}'],
  ])('an invalid amount (%s) is 422 invalid_amount', async (_name, body) => {
    expect(await send(body)).toEqual({ status: 422, code: 'invalid_amount' })
  })

  test.each(['"FR"', '"gb"', '5', 'null', '""'])('country %s is 422 corridor_not_enabled', async (country) => {
    expect(await send(`{"amount_gbp":"1.00","country":${country}}`)).toEqual({
      status: 422,
      code: 'corridor_not_enabled',
    })
  })

  test.each([
    '{"amount_gbp":"1.00","extra":1}',
    '{"amount_gbp":"1.00","__proto__":{"country":"FR"}}',
    '{"amount_gbp":"1.00","constructor":{}}',
    '[]',
    '"1.00"',
    '7',
    'null',
    `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    `{"amount_gbp":"1.00",${Array.from({ length: 4000 }, (_, n) => `"k${n}":0`).join(',')}}`,
  ])('%.40s is 422 invalid_request', async (body) => {
    expect(await send(body)).toEqual({ status: 422, code: 'invalid_request' })
  })
})

test('at most the first 20 unknown fields are named, and none if there are more than 100', async () => {
  const errorsOf = async (count: number) => {
    const body = Object.fromEntries(Array.from({ length: count }, (_, n) => [String(n), 0]))
    const answer = await api.post('/v1/auth/codes', { email: 'ada@people.test', ...body }, fromOurPages)
    return [answer.status, answer.body.error?.code, answer.body.error?.details]
  }

  expect(await errorsOf(7_000)).toEqual([
    422,
    'invalid_request',
    { errors: ['body (at most 100 fields and list items)'] },
  ])
  expect(await errorsOf(99)).toEqual([
    422,
    'invalid_request',
    { errors: Array.from({ length: 20 }, (_, n) => `${n} (unknown field)`) },
  ])
})

test('of 1,000 unknown parameters, only the first 20 are named', async () => {
  const query = Array.from({ length: 1_000 }, (_, n) => `k${n}`).join('&')

  const { status, body } = await api.get(`/v1?${query}`)

  expect([status, body.error?.details]).toEqual([
    422,
    { errors: Array.from({ length: 20 }, (_, n) => `k${n} (unknown field)`) },
  ])
})

describe('before the body is read', () => {
  test.each(['limit=0', 'limit=201', 'limit=ten', 'limit=1e2', 'limit=1&limit=2', 'limit=', 'limit=5.5', 'limit=-1'])(
    '%s is 422 invalid_request',
    async (query) => {
      const response = await api.get(`/v1/payouts?${query}`, { key })

      expect([response.status, response.body.error?.code]).toEqual([422, 'invalid_request'])
    },
  )

  test.each([
    'nonsense',
    '%00',
    '%E0%A4%A',
    '..%2f..%2fetc',
    'urn:uuid:0190a0a0-0000-7000-8000-000000000000',
    '1'.repeat(5000),
  ])('the payout ID %.30s is 404 not_found', async (id) => {
    const response = await fetch(`${api.url}/v1/payouts/${id}`, { headers: { Authorization: `Bearer ${key}` } })

    expect([response.status, JSON.parse(await response.text()).error.code]).toEqual([404, 'not_found'])
  })

  test('an unknown route is 404 route_not_found, and a wrong method is 405 with an Allow header', async () => {
    const unknown = await fetch(`${api.url}/v2/payouts`)
    const wrong = await fetch(`${api.url}/v1/quotes`, { method: 'DELETE' })

    expect([unknown.status, JSON.parse(await unknown.text()).error.code]).toEqual([404, 'route_not_found'])
    expect([wrong.status, JSON.parse(await wrong.text()).error.code]).toEqual([405, 'method_not_allowed'])
    expect(wrong.headers.get('Allow')).toBe('POST')
  })

  test('a fixed path is not mistaken for an ID, and a wrong method is 405 with the methods of that path', async () => {
    const paths = [...new Set(routes.map(({ path }) => path))].filter((path) => !path.includes(':'))
    const answers = await Promise.all(
      paths.map(async (path) => {
        const own = routes.filter((route) => route.path === path).map(({ method }) => method)
        const other = (['GET', 'POST', 'PATCH', 'DELETE'] as const).find((method) => !own.includes(method)) ?? 'PUT'
        const { status, headers } = await fetch(api.url + path, { method: other })
        const allowed = (headers.get('Allow') ?? '').split(', ').filter((method) => method !== 'HEAD')
        return { path, status, allowed, own }
      }),
    )

    expect(paths).toEqual(expect.arrayContaining(['/v1/payouts/check', '/v1/payouts/confirm-codes']))
    expect(answers).toEqual(answers.map(({ path, own }) => ({ path, status: 405, allowed: own, own })))
  })

  test.each([
    [
      '100 kB of headers',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['a request that is not HTTP', 'HELLO\r\n\r\n', 400, 'bad_request'],
    ['half a URL', 'GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['a URL without a host', 'GET http://[/v1 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['a URL with an impossible host name', 'GET http://xn--/v1 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['a missing Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    ['two Hosts', 'GET /healthz HTTP/1.1\r\nHost: x\r\nhOST: y\r\n\r\n', 400, 'bad_request'],
    ['the same Host twice', 'GET /healthz HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['an expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', 400, 'bad_request'],
    ['a CONNECT request', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    ['a TRACE request', 'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    [
      'two Content-Length headers',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
      400,
      'bad_request',
    ],
    [
      'Content-Length and chunked encoding',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'bad_request',
    ],
  ])('the usual error format is also returned for %s', async (_name, text, status, code) => {
    const answer = await raw(text)

    expect(answer.status).toBe(status)
    expect(answer.head).toMatch(/X-Request-Id: [0-9a-f-]{36}/)
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code } })
  })

  test('a response has a request ID and security headers, and does not name the server software', async () => {
    const { headers } = await fetch(`${api.url}/v1/account`)

    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('X-Powered-By')).toBeNull()
    expect(headers.get('Strict-Transport-Security')).toBeNull()
  })

  test('responses have a Strict-Transport-Security header if the public URL uses https', async () => {
    const secure = await startApi({ publicUrl: 'https://payouts.test' })
    const { headers } = await fetch(`${secure.url}/v1/account`)
    await secure.close()

    expect(headers.get('Strict-Transport-Security')).toBe('max-age=63072000; includeSubDomains')
  })
})

describe('a client', () => {
  test('that disconnects in the middle of its body causes no server error', async () => {
    const { hostname, port } = new URL(api.url)
    const head = `POST /v1/quotes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head}Content-Length: 100\r\n\r\n{`, () => socket.destroy()),
    )
    await once(socket, 'close')

    const seen = await until(async () => {
      const { body } = await api.get('/v1/activity', { key })
      return body.data?.find(({ action, status }) => action === 'quote.create' && status === 400)
    })

    expect(seen).toBeDefined()
  })

  test('that sends its body too slowly is disconnected within 15 seconds', async () => {
    const startedAt = performance.now()
    const head = `POST /v1/quotes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`

    const answer = await raw(`${head}Content-Length: 100\r\n\r\n{`)

    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'request_timeout' } })
    expect(performance.now() - startedAt).toBeLessThan(15_000)
  })
})

/** Polls until there is a value. Gives up before the test times out, so that the assertion reports the failure. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  for (const startedAt = performance.now(); performance.now() - startedAt < 120_000; ) {
    const answer = await ask()
    if (answer !== undefined) return answer
  }
  return undefined
}

function raw(text: string): Promise<{ status: number; head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url)
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => (received += chunk))
    socket.on('close', () => {
      const [head = '', body = ''] = received.split('\r\n\r\n')
      resolve({ status: Number(head.split(' ')[1]), head, body })
    })
    // A server that refuses early may close the connection while the client is still sending.
    socket.on('error', (error: NodeJS.ErrnoException) => (received ? undefined : reject(error)))
  })
}
