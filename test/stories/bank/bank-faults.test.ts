// Causes faults at the bank in a complete system: nothing is paid twice, no acknowledged payout is lost, and no money
// disappears.
import { describe, expect, test } from '@jest/globals'
import type { Json } from '../../support/bank/client'
import { sent, useWorld } from '../../support/system/world'
import { until } from '../../support/until'

/** Long enough for a slow machine to retry after a fault is removed, and short enough for a test to wait out. */
const repeatMs = 30_000

const world = useWorld({ env: { PAYOUT_REPEAT_MS: String(repeatMs), PAYOUT_CONNECT_MS: '3000' } })

const toTransfers = { method: 'POST', path: '/v0/transfers' }

test('a payout is processing immediately, and completed when the bank has paid it', async () => {
  const before = await world.balance()
  await world.bank.fault({ kind: 'stuck', state: 'pending', times: 1 })

  const { status, body } = await world.pay()

  expect([status, body.status, body.quote.seller_receives_gbp]).toEqual([201, 'processing', '120.00'])
  const [transfer] = await world.transfersOf(body.id)
  await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state: 'payment_processed' })
  await world.settled(body.id)
  expect((await world.get(`/v1/payouts/${body.id}`)).body).toMatchObject({ status: 'completed', failure_reason: null })
  expect(before - (await world.balance())).toBe(BigInt(body.wallet_sent_usdc.replace('.', '')) * 10_000n)
  expect(await world.transfersOf(body.id)).toHaveLength(1)
})

describe('a lost or unreadable response leaves the payout pending, and the bank ends up with one transfer', () => {
  const lost: readonly [string, Json, number][] = [
    ['a connection reset after the bank stored the transfer', { kind: 'reset', stage: 'after' }, 1],
    ['a connection reset before the bank stored the transfer', { kind: 'reset', stage: 'before' }, 0],
    ['a timeout after the bank stored the transfer', { kind: 'hang', stage: 'after' }, 1],
    ['a timeout before the bank stored the transfer', { kind: 'hang', stage: 'before' }, 0],
    ['500 after the bank stored the transfer', { kind: 'status', status: 500, stage: 'after' }, 1],
    ['500 before the bank stored the transfer', { kind: 'status', status: 500, stage: 'before' }, 0],
    ['503', { kind: 'status', status: 503, retry_after: 1 }, 0],
    ['a 201 that is not JSON', { kind: 'malformed' }, 1],
    ['a truncated 201', { kind: 'truncated' }, 1],
  ]

  test.each(lost)('%s', async (_, fault, stored) => {
    // On a slow machine, the bank's event about a stored transfer could arrive before our response, which would then
    // not be pending.
    await world.bank.fault({ kind: 'webhook_lost', times: null })
    // The fault also applies to retries, until the test removes it.
    const id = await world.bank.fault({ ...fault, times: null, match: toTransfers })

    const { status, body } = await world.pay()

    expect([status, body.status]).toEqual([201, 'pending'])
    // A slow worker may call the bank only after the response.
    await until('the fault was applied', async () => (await world.bank.counts(id)).fired > 0)
    await until('the bank has stored the transfer', async () => (await world.transfersOf(body.id)).length >= stored)
    expect((await world.transfersOf(body.id)).length).toBe(stored)
    await world.bank.control('DELETE', '/faults')
    expect(await world.settled(body.id)).toMatchObject({ status: 'completed', verdict: 'accepted' })
    expect(await world.transfersOf(body.id)).toHaveLength(1)
  })
})

test('while the bank is down, a payout gets 502 and is refunded, and the same key pays after the bank is back', async () => {
  await world.pay()
  const before = await world.balance()
  await world.bank.control('POST', '/outage', { ms: 60_000 })

  const refused = await world.pay({}, { key: 'order-outage' })

  expect([refused.status, refused.body.error.code]).toEqual([502, 'payout_not_created'])
  expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/)
  expect(await world.balance()).toBe(before)
  await world.bank.control('DELETE', '/outage')
  const again = await world.pay({}, { key: 'order-outage' })
  expect([again.status, again.body.status]).toEqual([201, sent])
  await world.settled(again.body.id)
})

test('polling settles a payout when all of the bank’s events are lost', async () => {
  const lost = await world.bank.fault({ kind: 'webhook_lost', times: null })

  const { body } = await world.pay()

  expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
  expect((await world.bank.counts(lost)).fired).toBeGreaterThan(0)
})

test('a 429 from the bank is retried before the API responds', async () => {
  await world.bank.fault({ kind: 'status', status: 429, times: 2, match: toTransfers })

  const { status, body } = await world.pay()

  expect([status, body.status]).toEqual([201, sent])
})

test('a payout gets 502 and needs an operator when the bank rejects our key', async () => {
  const key = 'order-drift'
  await world.bank.fault({ kind: 'status', status: 401, times: 1, match: toTransfers })

  expect((await world.pay({}, { key })).status).toBe(502)
  expect(await world.claimed(key)).toMatchObject({ attention: 'bank_misconfigured' })
})

test('a payout to an account ending in 0000 fails immediately and is refunded, twice in a row', async () => {
  const before = await world.balance()

  for (const key of ['order-0000-a', 'order-0000-b']) {
    const { status, body } = await world.pay({ accountNumber: '12340000' }, { key })
    expect([status, body.status]).toEqual([201, 'failed'])
    expect(body.failure_reason).toMatch(/^[a-z_]+: .*rejected the account details\.$/)
    await world.settled(body.id)
  }

  expect(await world.balance()).toBe(before)
})

test('an unknown bank state is reported, and the payout waits until the state is known', async () => {
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

test('while the bank does not list its transfers, a payout with an unknown outcome is not refunded', async () => {
  await world.bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
  const list = await world.bank.fault({
    kind: 'status',
    status: 500,
    times: null,
    match: { method: 'GET', path: '/v0/customers*' },
  })

  const { body } = await world.pay()
  await untilLookedUpLate(body.id, { fault: list, requests: 1 })

  expect(await world.row(body.id)).toMatchObject({ status: 'pending', closed_at: null })
  await world.bank.control('DELETE', '/faults')
  await world.settled(body.id)
})

test('a transfer list that changes while it is read proves nothing, so the payout stays pending and needs an operator', async () => {
  const before = await world.balance()
  await world.bank.fault({ kind: 'reset', stage: 'before', times: null, match: toTransfers })
  const moving = await world.bank.fault({ kind: 'list_shift', by: 120 })

  const { body } = await world.pay()
  const row = await world.reached(body.id, ({ attention }) => attention !== null)
  // At least one lookup has ended.
  const { fired: requests } = await world.bank.counts(moving)
  await untilLookedUpLate(body.id, { fault: moving, requests })

  expect(row.attention).toBe('outcome_unknown')
  expect((await world.bank.counts(moving)).fired).toBeGreaterThan(0)
  expect(await world.row(body.id)).toMatchObject({ status: 'pending', closed_at: null })
  expect(before - (await world.balance())).toBe(BigInt(row.wallet_sends_micro_usdc))
  await world.bank.control('DELETE', `/faults/${moving}`)
  expect(await world.settled(body.id)).toMatchObject({ status: 'failed', verdict: 'late_refusal' })
  expect(await world.balance()).toBe(before)
})

test('a transfer that the bank stored before it was killed is found after the restart, and paid once', async () => {
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

test('when the bank is killed while payouts are in flight, all of them complete after its restart', async () => {
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

test('live payouts complete while the bank hangs in the sandbox environment', async () => {
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

/**
 * Waits for a whole lookup after the time from which a complete list without the transfer causes a refund. A lookup
 * sends at most this many requests, which the fault changes.
 */
async function untilLookedUpLate(payoutId: string, lookup: { fault: string; requests: number }): Promise<void> {
  const isLate = ({ submit_started_at: at }: Json) => Date.now() - at.getTime() > repeatMs + 1_000
  await world.reached(payoutId, isLate)
  const { fired } = await world.bank.counts(lookup.fault)
  // The first of these lookups may have started earlier.
  const enough = fired + 2 * lookup.requests
  await until('the bank was asked again', async () => (await world.bank.counts(lookup.fault)).fired >= enough)
}
