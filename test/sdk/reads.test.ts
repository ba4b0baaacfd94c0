// Lists, waits, cancels and documents of the TypeScript SDK, against the API over real HTTP.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import {
  type Client,
  createClient,
  idempotencyKey,
  type Payout,
  UnreachableStatusError,
} from '../../sdk/typescript/src'
import { anInvoice, aPayoutRow } from '../support/api/fixtures'
import { aRequest, type Payer, usePayoutWorld } from '../support/api/payout-world'
import { until } from '../support/until'
import { useFaultyProxy } from './faulty-proxy'

const world = usePayoutWorld()
const proxy = useFaultyProxy(() => world.api.url)
let payer: Payer
let client: Client

beforeEach(async () => {
  payer = await world.aPayer()
  client = createClient({ apiKey: payer.keys.sandbox, baseUrl: `${proxy.url}/` })
  proxy.fail()
})
afterEach(() => world.bank.control('DELETE', '/faults'))

const create = (order = `order-${payer.id}`) =>
  client.payouts.create(aRequest(), { idempotencyKey: idempotencyKey.from(order) })

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

test('a list is read page by page, in order and without gaps', async () => {
  const rows = []
  for (let n = 1; n <= 7; n++) rows.push(await aPayoutRow(world.api, payer, { createdAt: new Date(2026, 9, n) }))
  const ids = rows.map(({ id }) => id).toReversed()

  expect((await all(client.payouts.list({ limit: 3 }))).map(({ id }) => id)).toEqual(ids)
  expect(proxy.seen()).toHaveLength(3)
  const pages = await all(client.payouts.list({ limit: 3 }).pages())
  expect(pages.map(({ data, has_more }) => [data.length, has_more])).toEqual([
    [3, true],
    [3, true],
    [1, false],
  ])
  const starting_after = pages[0]?.next_cursor ?? ''
  expect(await client.payouts.list({ limit: 3, starting_after }).page()).toEqual(pages[1])
})

test('a loop that ends early reads no further page, and a list that is not read sends nothing', async () => {
  for (let n = 1; n <= 3; n++) await aPayoutRow(world.api, payer)
  const list = client.payouts.list({ limit: 1 })
  expect(proxy.seen()).toEqual([])

  for await (const payout of list) {
    expect(payout.object).toBe('payout')
    break
  }

  expect(proxy.seen()).toHaveLength(1)
})

test('a list takes several statuses and refuses an unknown filter', async () => {
  const failed = await aPayoutRow(world.api, payer, { status: 'failed' })
  const returned = await aPayoutRow(world.api, payer, { status: 'returned' })
  await aPayoutRow(world.api, payer)

  const found = await all(client.payouts.list({ status: ['failed', 'returned'] }))
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set([failed.id, returned.id]))
  expect(await client.payouts.totals({ status: 'failed' })).toMatchObject({ count: 1 })
  expect((await client.payouts.csv({ status: 'failed' })).trimEnd().split('\n')).toHaveLength(2)
  // @ts-expect-error -- a misspelt filter
  await expect(client.payouts.list({ reference_number: 'x' }).page()).rejects.toMatchObject({ code: 'invalid_request' })
})

test('waitFor polls with the ETag of the last response until the payout is completed', async () => {
  const { id } = await create()
  proxy.fail()

  const statuses: string[] = []
  const onChange = ({ status }: { status: string }) => statuses.push(status)
  const waiting = client.payouts.waitFor(id, { status: 'completed', pollIntervalMs: 50, onChange })
  await until('two polls got 304', () => proxy.seen().filter(({ status }) => status === 304).length >= 2)
  await client.sandbox.simulate(id, { outcome: 'settle' })

  expect((await waiting).status).toBe('completed')
  expect([statuses[0], statuses.at(-1)]).toEqual(['processing', 'completed'])
  const polls = proxy.seen().filter(({ method }) => method === 'GET')
  expect(polls[0]).toMatchObject({ etag: undefined, status: 200 })
  expect(polls.slice(1).every(({ etag }) => etag?.includes(id))).toBe(true)
  expect(polls.at(-1)?.status).toBe(200)
})

test('waitFor continues after failed polls, and pauses for the time in Retry-After', async () => {
  const { id } = await aPayoutRow(world.api, payer)
  proxy.fail('lost', { status: 503, headers: { 'Retry-After': '1' } })

  expect((await client.payouts.waitFor(id, { pollIntervalMs: 20 })).status).toBe('completed')

  const [, refused, last] = proxy.seen()
  expect((last?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
})

test('waitFor rejects with the payout if it can no longer reach the wanted status', async () => {
  const { id } = await aPayoutRow(world.api, payer, { status: 'failed' })

  expect((await client.payouts.waitFor(id)).status).toBe('failed')
  const error = await client.payouts.waitFor(id, { status: 'completed' }).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(UnreachableStatusError)
  expect(error).toMatchObject({ code: 'unreachable_status', payout: { id, status: 'failed' } })
})

test('waitFor ends after timeoutMs, or when its signal aborts', async () => {
  const { id } = await aPayoutRow(world.api, payer, { status: 'completed' })
  const isReturned = { status: 'returned', pollIntervalMs: 20 } as const

  await expect(client.payouts.waitFor(id, { ...isReturned, timeoutMs: 300 })).rejects.toMatchObject({ code: 'timeout' })
  const controller = new AbortController()
  const waiting = client.payouts.waitFor(id, { ...isReturned, signal: controller.signal })
  controller.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
})

test('a pending payout is cancelled, also if the response is lost', async () => {
  const first = await aWaitingPayout('order-first')
  expect(await client.payouts.cancel(first.id)).toMatchObject({ id: first.id, status: 'cancelled' })
  // Another call gets the refusal: only a retry of a lost response returns the payout.
  const again = await client.payouts.cancel(first.id).catch((error: unknown) => error)
  expect(again).toMatchObject({ code: 'invalid_state', status: 409, details: { status: 'cancelled' } })

  const second = await aWaitingPayout('order-second')
  proxy.fail('unanswered')
  expect(await client.payouts.cancel(second.id)).toMatchObject({ id: second.id, status: 'cancelled' })
  expect(proxy.seen().map(({ status }) => status)).toEqual([200, 409, 200])
})

/** The bank is unavailable before the payout reaches it, so the payout can be cancelled. */
async function aWaitingPayout(order: string): Promise<Payout> {
  await world.bank.fault({
    kind: 'status',
    status: 503,
    times: null,
    match: { method: 'POST', path: '/v0/customers/*' },
  })
  await world.stopWorkers()
  const payout = await create(order)
  await world.startWorkers()
  return payout
}

test('every other read returns its object', async () => {
  const { id, quote } = await create()

  expect(quote).toMatchObject(await client.quotes.create({ amount_gbp: '120.00' }))
  expect(await client.payouts.get(id)).toMatchObject({ object: 'payout', id })
  expect(await client.payouts.details(id)).toMatchObject({ idempotency_key: `order-${payer.id}` })
  expect((await all(client.payouts.events(id))).map(({ event }) => event)).toEqual(['requested', 'debited', 'sent'])
  expect((await client.payouts.check(aRequest())).bank_receives).toMatchObject({ recipient_name: 'Ada Lovelace' })
  expect(await all(client.recipients.list())).toMatchObject([{ name: 'Ada Lovelace' }])
  expect((await all(client.wallet.entries())).map(({ kind }) => kind)).toContain('payout')
  expect(await client.usage.get()).toMatchObject({ object: 'usage', payouts: { count: 1 } })
  expect(await all(client.usage.history({ months: 2 }))).toHaveLength(2)
  expect(await client.account.get()).toMatchObject({ environment: 'sandbox' })
  expect(await client.account.compliance()).toMatchObject({ object: 'compliance' })
  expect((await all(client.account.activity({ q: 'payout.create' }))).map(({ status }) => status)).toEqual([201])
})

test('invoices are listed with a live key and downloaded as PDF and CSV', async () => {
  const invoice = await anInvoice(world.api, { ...payer, name: 'Acme Ltd' }, { period: '2026-10-01' })
  const live = createClient({ apiKey: payer.keys.live, baseUrl: proxy.url })

  expect((await all(live.invoices.list())).map(({ id }) => id)).toEqual([invoice.id])
  expect(await live.invoices.get(invoice.id)).toMatchObject({ number: invoice.number })
  expect(await all(live.invoices.charges(invoice.id))).toEqual([])
  expect(
    Buffer.from(await live.invoices.pdf(invoice.id))
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-')
  expect(await live.invoices.csv(invoice.id)).toMatch(/invoice_number/)
  expect(await all(client.invoices.list())).toEqual([])
})
