// Every fault of the bank, over the whole system: nothing is paid twice, no acknowledged payout is lost, no
// money disappears.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Json } from '../../support/bank/client'
import { openWorld, type World } from '../../support/system/world'
import { until } from '../../support/until'

let world: World

beforeAll(async () => {
  world = await openWorld({ env: { PAYOUT_REPEAT_MS: '2000' } })
})
afterEach(async () => {
  await world.bank.control('DELETE', '/faults')
  await world.bank.control('DELETE', '/outage')
  await world.judge()
})
afterAll(() => world.close())

const toTransfers = { method: 'POST', path: '/v0/transfers' }

test('a payout is processing immediately and completed when the bank has paid it', async () => {
  const before = await world.balance()

  const { status, body } = await world.pay()

  expect([status, body.status, body.quote.seller_receives_gbp]).toEqual([201, 'processing', '120.00'])
  await world.settled(body.id)
  expect((await world.get(`/v1/payouts/${body.id}`)).body).toMatchObject({ status: 'completed', failure_reason: null })
  expect(before - (await world.balance())).toBe(BigInt(body.wallet_sent_usdc.replace('.', '')) * 10_000n)
  expect(await world.transfersOf(body.id)).toHaveLength(1)
})

describe('a lost or unreadable answer leaves the payout pending, and the bank ends up with one transfer', () => {
  const lost: readonly [string, Json, number][] = [
    ['the connection closes after the bank stored the transfer', { kind: 'reset', stage: 'after' }, 1],
    ['the connection closes before the bank stored it', { kind: 'reset', stage: 'before' }, 0],
    ['the bank is slower than every timeout, and stored it', { kind: 'hang', stage: 'after' }, 1],
    ['the bank is slower than every timeout, and did not', { kind: 'hang', stage: 'before' }, 0],
    ['500 after it was stored', { kind: 'status', status: 500, stage: 'after' }, 1],
    ['500 before it was stored', { kind: 'status', status: 500, stage: 'before' }, 0],
    ['503', { kind: 'status', status: 503, retry_after: 1 }, 0],
    ['a 201 that is not JSON', { kind: 'malformed' }, 1],
    ['a 201 that is cut off', { kind: 'truncated' }, 1],
  ]

  test.each(lost)('%s', async (_, fault, stored) => {
    // The fault also applies to repeats, until the story removes it.
    const id = await world.bank.fault({ ...fault, times: null, match: toTransfers })

    const { status, body } = await world.pay()

    expect([status, body.status]).toEqual([201, 'pending'])
    expect((await world.bank.counts(id)).fired).toBeGreaterThan(0)
    expect((await world.transfersOf(body.id)).length).toBe(stored)
    await world.bank.control('DELETE', '/faults')
    expect(await world.settled(body.id)).toMatchObject({ status: 'completed', verdict: 'accepted' })
    expect(await world.transfersOf(body.id)).toHaveLength(1)
  })
})

test('a bank that is down has sent nothing: 502, the money is refunded, and the same key pays once it is up', async () => {
  await world.pay()
  const before = await world.balance()
  await world.bank.control('POST', '/outage', { ms: 60_000 })

  const refused = await world.pay({}, { key: 'order-outage' })

  expect([refused.status, refused.body.error.code]).toEqual([502, 'payout_not_created'])
  expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/)
  expect(await world.balance()).toBe(before)
  await world.bank.control('DELETE', '/outage')
  const again = await world.pay({}, { key: 'order-outage' })
  expect([again.status, again.body.status]).toEqual([201, 'processing'])
  await world.settled(again.body.id)
})

test('all of the bank’s events are lost: polling is enough', async () => {
  const lost = await world.bank.fault({ kind: 'webhook_lost', times: null })

  const { body } = await world.pay()

  expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
  expect((await world.bank.counts(lost)).fired).toBeGreaterThan(0)
})

test('429 is retried within the answer time', async () => {
  await world.bank.fault({ kind: 'status', status: 429, times: 2, match: toTransfers })

  const { status, body } = await world.pay()

  expect([status, body.status]).toEqual([201, 'processing'])
})

test('a bank that reports too little money although our ledger covers it: 502, and an operator is notified', async () => {
  const key = 'order-drift'
  await world.bank.fault({ kind: 'status', status: 401, times: 1, match: toTransfers })

  expect((await world.pay({}, { key })).status).toBe(502)
  expect(await world.claimed(key)).toMatchObject({ attention: 'bank_misconfigured' })
})

test('an account ending in 0000 fails immediately and is refunded when the bank reports it, twice in a row', async () => {
  const before = await world.balance()

  for (const key of ['order-0000-a', 'order-0000-b']) {
    const { status, body } = await world.pay({ accountNumber: '12340000' }, { key })
    expect([status, body.status]).toEqual([201, 'failed'])
    expect(body.failure_reason).toMatch(/^[a-z_]+: .*rejected the account details\.$/)
    await world.settled(body.id)
  }

  expect(await world.balance()).toBe(before)
})

test('an unknown bank state is reported and waited out, and its meaning is never guessed', async () => {
  await world.bank.fault({ kind: 'stuck', state: 'pending', times: 1 })
  const { body } = await world.pay()
  const [transfer] = await world.transfersOf(body.id)
  await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state: 'quantum_entangled', last: true })

  const row = await world.reached(body.id, ({ attention }) => attention !== null)

  expect(row).toMatchObject({ status: 'processing', attention: 'bank_says_quantum_entangled', closed_at: null })
  await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state: 'payment_processed' })
  expect(await world.settled(body.id)).toMatchObject({ status: 'completed', attention: null })
})

test('a transfer that the bank reviews for a long time stays processing, and completes afterwards', async () => {
  await world.bank.fault({ kind: 'stuck', state: 'in_review', times: 1 })
  const { body } = await world.pay()

  const row = await world.reached(body.id, ({ transfer_state }) => transfer_state === 'in_review')

  expect(row).toMatchObject({ status: 'processing', closed_at: null })
  const [transfer] = await world.transfersOf(body.id)
  await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state: 'payment_processed' })
  expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
})

test('an acknowledged payout that never reached the bank fails and is refunded', async () => {
  const before = await world.balance()
  await world.bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })

  const { status, body } = await world.pay()

  expect([status, body.status]).toEqual([201, 'pending'])
  expect(await world.settled(body.id)).toMatchObject({ status: 'failed', verdict: 'late_refusal' })
  expect((await world.get(`/v1/payouts/${body.id}`)).body.failure_reason).toMatch(/^not_sent: /)
  expect(await world.transfersOf(body.id)).toEqual([])
  expect(await world.balance()).toBe(before)
})

test('while the bank does not list its transfers, an unknown payout is not refunded', async () => {
  await world.bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
  const list = await world.bank.fault({
    kind: 'status',
    status: 500,
    times: null,
    match: { method: 'GET', path: '/v0/customers*' },
  })

  const { body } = await world.pay()
  await world.reached(body.id, ({ submit_started_at }) => Date.now() - submit_started_at.getTime() > 2_500)

  expect((await world.bank.counts(list)).fired).toBeGreaterThan(0)
  expect(await world.row(body.id)).toMatchObject({ status: 'pending', closed_at: null })
  await world.bank.control('DELETE', '/faults')
  await world.settled(body.id)
})

test('a list that changes while it is read proves nothing: the money stays held until an operator has the bank fix it', async () => {
  const before = await world.balance()
  await world.bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
  const moving = await world.bank.fault({ kind: 'list_shift', by: 120 })

  const { body } = await world.pay()
  const row = await world.reached(body.id, ({ attention }) => attention !== null)
  // Waits past the time at which a complete list without the transfer would have caused a refund.
  await world.reached(body.id, ({ submit_started_at }) => Date.now() - submit_started_at.getTime() > 3_000)

  expect(row.attention).toBe('outcome_unknown')
  expect((await world.bank.counts(moving)).fired).toBeGreaterThan(0)
  expect(await world.row(body.id)).toMatchObject({ status: 'pending', closed_at: null })
  expect(before - (await world.balance())).toBe(BigInt(row.wallet_sends_micro_usdc))
  await world.bank.control('DELETE', `/faults/${moving}`)
  expect(await world.settled(body.id)).toMatchObject({ status: 'failed', verdict: 'late_refusal' })
  expect(await world.balance()).toBe(before)
})

test('the bank is killed with a stored transfer that we do not know: the transfer is found, and paid once', async () => {
  const held = await world.bank.fault({ kind: 'hang', stage: 'after', times: 1, match: toTransfers })
  const answer = world.pay()
  await until('the transfer is stored', async () => (await world.bank.counts(held)).fired > 0)

  await world.bank.kill()
  const { status, body } = await answer
  await world.bank.start()

  expect([status, body.status]).toEqual([201, 'pending'])
  expect(await world.settled(body.id)).toMatchObject({ status: 'completed', verdict: 'accepted' })
  expect(await world.transfersOf(body.id)).toHaveLength(1)
})

test('the bank is killed while payouts are in flight: after its restart, all payouts complete', async () => {
  await world.bank.fault({ kind: 'stuck', state: 'pending', times: null })
  const paid = await Promise.all(Array.from({ length: 5 }, () => world.pay()))

  await world.bank.kill()
  await world.bank.start()
  const transfers = (await Promise.all(paid.map(({ body }) => world.transfersOf(body.id)))).flat()
  for (const { id } of transfers) {
    await world.bank.control('POST', `/transfers/${id}/advance`, { state: 'payment_processed' })
  }

  expect(transfers).toHaveLength(5)
  const rows = await world.allSettled(paid)
  expect(rows.map(({ status }) => status)).toEqual(Array(5).fill('completed'))
})

test('the sandbox bank hangs and live payouts are not affected', async () => {
  const hang = await world.bank.fault({ kind: 'hang', times: null, match: { environment: 'sandbox' } })
  const stuck = Array.from({ length: 30 }, () => world.pay())

  const live = await Promise.all(Array.from({ length: 10 }, () => world.pay({}, { environment: 'live' })))

  expect(live.map(({ status }) => status)).toEqual(Array(10).fill(201))
  const settled = await world.allSettled(live)
  expect(settled.map(({ status }) => status)).toEqual(Array(10).fill('completed'))
  expect((await world.bank.counts(hang)).fired).toBeGreaterThan(0)
  await world.bank.control('DELETE', `/faults/${hang}`)
  const answers = await Promise.all(stuck)
  expect(answers.map(({ status }) => status).filter((status) => status !== 201 && status !== 502)).toEqual([])
})
