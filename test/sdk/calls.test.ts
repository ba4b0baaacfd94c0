// The TypeScript SDK against the API over real HTTP, through a proxy that loses connections.
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import {
  ApiError,
  type Client,
  createClient,
  idempotencyKey,
  NetworkError,
  TimeoutError,
} from '../../sdk/typescript/src'
import { changePartner } from '../support/api/fixtures'
import { aRequest, type Payer, usePayoutWorld } from '../support/api/payout-world'
import { type Fault, useFaultyProxy } from './faulty-proxy'

// The timeout is short, because no worker answers a top-up.
const world = usePayoutWorld({ rateLimit: 'on', payouts: { pollMs: [600_000], answerTimeoutMs: 8_000 } })
const proxy = useFaultyProxy(() => world.api.url)
let payer: Payer
let client: Client
let orders = 0

beforeEach(async () => {
  payer = await world.aPayer()
  client = clientOf(payer.keys.sandbox)
  proxy.fail()
})
afterEach(() => world.bank.control('DELETE', '/faults'))

const clientOf = (apiKey: string) => createClient({ apiKey, baseUrl: proxy.url })
const aKey = () => idempotencyKey.from(`order-${(orders += 1)}-${payer.id}`)
const create = (key = aKey()) => client.payouts.create(aRequest(), { idempotencyKey: key })
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error('the call must fail')),
    (error: unknown) => error,
  )

test.each<[string, Fault[]]>([
  ['the request is lost', ['lost']],
  ['the response is lost', ['unanswered']],
  ['the response is cut off', ['cut']],
  ['a proxy answers with 502 and HTML', [{ status: 502 }]],
  ['the connection fails three times in a row', ['unanswered', 'lost', 'cut']],
])('a payout is created exactly once if %s', async (_, faults) => {
  const key = aKey()
  proxy.fail(...faults)

  const payout = await create(key)

  const attempts = proxy.seen()
  expect(attempts).toHaveLength(faults.length + 1)
  expect(new Set(attempts.map((attempt) => attempt.idempotencyKey))).toEqual(new Set([key]))
  const { data } = await client.payouts.list().page()
  expect(data.map(({ id }) => id)).toEqual([payout.id])
  expect(await world.transfersOf(payout.id)).toHaveLength(1)
})

test('a retry sends the same body, even if the caller has changed the object since', async () => {
  const order = { ...aRequest(), reference: 'first' }
  proxy.fail('lost')

  const creating = client.payouts.create(order, { idempotencyKey: aKey() })
  order.reference = 'second'

  expect((await creating).reference).toBe('first')
})

test('a body that is not JSON is a TypeError, and nothing is sent', async () => {
  // @ts-expect-error -- callers without types
  const error = await rejection(client.quotes.create({ amount_gbp: 120n }))

  expect(error).toBeInstanceOf(TypeError)
  expect(proxy.seen()).toHaveLength(0)
})

test('a live key is not sent without encryption, except to this machine', () => {
  const clientAt = (baseUrl: string) => () => createClient({ apiKey: payer.keys.live, baseUrl })

  expect(clientAt('http://payouts.example.com')).toThrow('https://')
  expect(clientAt('http://localhost.example.com')).toThrow('https://')
  expect(clientAt('http://localhost:3000')).not.toThrow()
  expect(clientAt('https://payouts.example.com')).not.toThrow()
})

test('an endless timeout is allowed, and one that is not positive is refused', async () => {
  await client.balance.get({ timeoutMs: Infinity })

  expect(await rejection(client.balance.get({ timeoutMs: 0 }))).toBeInstanceOf(TypeError)
})

test('pauses between retries grow', async () => {
  proxy.fail('lost', 'lost', 'lost')

  await client.balance.get()

  const [first = 0, second = 0, third = 0, fourth = 0] = proxy.seen().map(({ at }) => at)
  expect(second - first).toBeGreaterThanOrEqual(250)
  expect(third - second).toBeGreaterThanOrEqual(500)
  expect(fourth - third).toBeGreaterThanOrEqual(1_000)
})

test('a call that fails on every attempt rejects with a retryable NetworkError', async () => {
  proxy.fail('lost', 'lost')

  const error = await rejection(client.balance.get({ maxRetries: 1 }))

  expect(error).toBeInstanceOf(NetworkError)
  expect(error).toMatchObject({ code: 'network_error', isRetryable: true })
  expect(proxy.seen()).toHaveLength(2)
})

test('a top-up and a simulation are never retried, because they are not idempotent', async () => {
  const { id } = await create()
  proxy.fail('unanswered', 'unanswered')

  expect(await rejection(client.sandbox.topUp({ usdc: '1000.00' }))).toBeInstanceOf(NetworkError)
  expect(await rejection(client.sandbox.simulate(id, { outcome: 'settle' }))).toBeInstanceOf(NetworkError)

  expect(proxy.seen().map(({ path }) => path)).toEqual(['/v1/sandbox/top-ups', `/v1/sandbox/payouts/${id}/simulate`])
})

test('a rate limit is waited out for the time in Retry-After', async () => {
  await changePartner(world.api, payer, { rateLimitSandbox: 2 })

  const answers = await Promise.all(Array.from({ length: 4 }, () => client.balance.get({ maxRetries: 20 })))

  expect(answers.map(({ object }) => object)).toEqual(Array.from({ length: 4 }, () => 'balance'))
  const refused = proxy.seen().filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  const retries = proxy.seen().slice(4)
  expect(Math.min(...retries.map(({ at }) => at)) - (refused[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
})

test('a Retry-After of more than a minute is left to the caller', async () => {
  proxy.fail({ status: 429, headers: { 'Retry-After': '120' } })

  const error = await rejection(client.balance.get())

  expect(error).toMatchObject({ status: 429, retryAfterMs: 120_000, isRetryable: true })
  expect(proxy.seen()).toHaveLength(1)
})

test('a Retry-After with a date is compared with the server’s clock', async () => {
  const headers = { 'Retry-After': 'Tue, 17 Nov 2026 10:02:00 GMT', Date: 'Tue, 17 Nov 2026 10:00:00 GMT' }
  proxy.fail({ status: 503, headers })

  expect(await rejection(client.balance.get({ maxRetries: 0 }))).toMatchObject({ retryAfterMs: 120_000 })
})

test('a refusal is an ApiError with code, status, details and request ID, and is not retried', async () => {
  const broke = aRequest({ amount_gbp: '20000.00' })

  const error = await rejection(client.payouts.create(broke, { idempotencyKey: aKey() }))

  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    name: 'ApiError',
    code: 'insufficient_funds',
    status: 402,
    details: { shortfall_usdc: expect.stringMatching(/^\d+\.\d{2}$/) },
    requestId: expect.stringMatching(/^[\w-]{8,}$/),
    isRetryable: false,
    retryAfterMs: null,
  })
  expect(proxy.seen()).toHaveLength(1)
})

test('a redirect is an error, because the redirected request would be another one', async () => {
  proxy.fail({ status: 302, headers: { Location: '/v1/account' } })

  expect(await rejection(create())).toMatchObject({ status: 302, code: 'unexpected_response', isRetryable: false })
})

test('an attempt without an answer ends after timeoutMs and is retried', async () => {
  proxy.fail('silent')

  const { object } = await client.balance.get({ timeoutMs: 1_000 })

  expect(object).toBe('balance')
  proxy.fail('silent')
  const error = await rejection(client.balance.get({ timeoutMs: 100, maxRetries: 0 }))
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({ code: 'timeout', isRetryable: true })
})

test('a signal ends a call during the request, during a pause and before it starts', async () => {
  const reason = new Error('no longer needed')
  const aborted = async (ms: number) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), ms)
    return rejection(client.balance.get({ signal: controller.signal }))
  }

  proxy.fail('silent')
  expect(await aborted(50)).toBe(reason)
  proxy.fail({ status: 503, headers: { 'Retry-After': '30' } })
  expect(await aborted(200)).toBe(reason)
  expect(proxy.seen()).toHaveLength(1)
  proxy.fail()
  expect(await rejection(client.balance.get({ signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(proxy.seen()).toEqual([])
})

test('the API key appears in no client, error or message', async () => {
  const key = payer.keys.sandbox
  proxy.fail('lost', { status: 500 }, 'silent')
  const errors = [
    await rejection(client.balance.get({ maxRetries: 0 })),
    await rejection(client.balance.get({ maxRetries: 0 })),
    await rejection(client.balance.get({ maxRetries: 0, timeoutMs: 50 })),
    await rejection(client.payouts.get('unknown')),
    await rejection((async () => createClient({ apiKey: `${key}\n`, baseUrl: proxy.url }))()),
    await rejection((async () => createClient({ apiKey: key, baseUrl: `http://${key}@127.0.0.1` }))()),
  ]

  const shown = [client, ...errors].map(
    (each) => `${inspect(each, { depth: 20, showHidden: true })} ${JSON.stringify(each)} ${String(each)}`,
  )
  expect(shown.join('\n')).not.toContain(key)
  expect(errors.map((error) => (error instanceof Error ? error.name : ''))).toEqual([
    'NetworkError',
    'ApiError',
    'TimeoutError',
    'ApiError',
    'TypeError',
    'TypeError',
  ])
})

test('an ID that would address another route is refused before it is sent', async () => {
  expect(await rejection(client.payouts.get(''))).toBeInstanceOf(TypeError)
  expect(await rejection(client.payouts.cancel('..'))).toBeInstanceOf(TypeError)
  expect(() => client.invoices.charges('a/b')).toThrow(TypeError)
  expect(proxy.seen()).toEqual([])
})

test('a payout without a valid idempotency key is refused before it is sent', async () => {
  // @ts-expect-error -- a plain string is not a key
  expect(await rejection(client.payouts.create(aRequest(), { idempotencyKey: 'short' }))).toBeInstanceOf(TypeError)
  // @ts-expect-error -- the key is required
  expect(await rejection(client.payouts.create(aRequest(), {}))).toBeInstanceOf(TypeError)
  expect(proxy.seen()).toEqual([])
})
