// Many bank events, each delivered at least twice and in random order, lead to the same ledger as if each had
// arrived once and in order. STORM_EVENTS sets the number of deliveries, a multiple of 200: 10,000 for a
// full run. The default is 1,000, because creating a payout for every twenty deliveries takes a long time.
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { type Json, quick, still } from '../../support/bank/client'
import { inAnyOrder, type SignedEvent, signedEvents } from '../../support/bank/events'
import { openWorld, type World } from '../../support/system/world'
import { until } from '../../support/until'

const events = Number(process.env['STORM_EVENTS'] ?? 1_000)
const payouts = events / 20
/** The number of concurrent deliveries, as many as the bank itself makes. */
const atOnce = 32
let open: World | null = null
let ordered: Json

beforeAll(async () => {
  ordered = await ledgerAfter(async (world, fresh) => {
    for (const event of fresh) await deliver(world, event)
  })
})
// Closing a world runs the referee's checks.
afterEach(() => open?.close())

test('a storm of events leads to the same ledger as the same events in order', async () => {
  let delivered = 0
  const stormy = await ledgerAfter(async (world, fresh, heard) => {
    const count = heard.length === 0 ? 0.6 * events : 0.4 * events
    const storm = inAnyOrder(fresh, heard, count)
    delivered += storm.length
    await inLanes(atOnce, storm, (event) => deliver(world, event))
  })

  expect(stormy).toEqual(ordered)
  expect(stormy.statuses).toEqual({ completed: 0.8 * payouts, failed: 0.1 * payouts, returned: 0.1 * payouts })
  expect(delivered).toBe(events)
})

/** Opens a world in which only the test delivers events, and returns its ledger at the end. */
async function ledgerAfter(
  deliverAll: (world: World, fresh: readonly SignedEvent[], heard: readonly SignedEvent[]) => Promise<void>,
): Promise<Json> {
  // With these intervals, only an event causes a poll of the bank.
  const env = { PAYOUT_POLL_MS: '600000', WALLET_READ_EVERY_MS: '86400000' }
  const world = await openWorld({ env, delaysMs: still })
  open = world
  await world.bankKnowsUs()
  await world.bank.fault({ kind: 'webhook_lost', times: null })
  const numbers = Array.from({ length: payouts }, (_, index) => index)
  const answers = await inLanes(8, numbers, (index) =>
    world.pay({ amount_gbp: `${2 + (index % 7)}.00` }, { environment: 'live', key: `order-number-${index}` }),
  )
  const ids = answers.map(({ body }) => body.id)

  await world.bank.control('PUT', '/delays', quick)
  await bankMoves(world, ids, (index) => (index % 10 === 3 ? 'undeliverable' : 'funds_received'))
  const first = await signedEvents(world.bank, 'live')
  await deliverAll(world, first, [])
  await world.allSettled(answers)

  await bankMoves(world, ids, (index) => (index % 10 === 7 ? 'returned' : null))
  const all = await signedEvents(world.bank, 'live')
  const known = new Set(first.map(({ id }) => id))
  await deliverAll(
    world,
    all.filter(({ id }) => !known.has(id)),
    first,
  )
  await until('all returns are booked', async () => (await countReturned(world)) === payouts / 10, 120_000)

  const books = await booksOf(world)
  await world.close()
  open = null
  return books
}

/**
 * Advances each transfer for which `stateFor` returns a state, and then waits until no transfer has a next
 * state.
 */
async function bankMoves(world: World, ids: readonly string[], stateFor: (index: number) => string | null) {
  const transfers = async (): Promise<Json[]> =>
    (await world.bank.control('GET', '/transfers?environment=live')).json.data
  const byPayout = new Map((await transfers()).map((each) => [each.client_reference_id, each.id]))
  for (const [index, id] of ids.entries()) {
    const state = stateFor(index)
    if (state !== null) await world.bank.control('POST', `/transfers/${byPayout.get(id)}/advance`, { state })
  }
  await until('the bank is idle', async () => (await transfers()).every(({ next }) => next === null))
}

/** Delivers an event, and repeats it after a 503 as the bank does. Any status other than 200 and 503 fails the test. */
async function deliver(world: World, { id, event, signature }: SignedEvent): Promise<void> {
  const send = async () => (await world.send('/webhooks/bank', event, { 'X-Webhook-Signature': signature })).status
  await until(`the event ${id} is taken`, async () => {
    const status = await send()
    expect([200, 503]).toContain(status)
    return status === 200
  })
}

async function countReturned({ db }: World): Promise<number> {
  const [row] = await db.dataSource.query<Json[]>(
    `SELECT count(*)::int AS n FROM payouts WHERE status = 'returned' AND closed_at IS NOT NULL`,
  )
  return row.n
}

async function booksOf({ db }: World): Promise<Json> {
  const rows = (sql: string) => db.dataSource.query<Json[]>(sql)
  const statuses = await rows('SELECT status, count(*)::int AS n FROM payouts GROUP BY status')
  return {
    statuses: Object.fromEntries(statuses.map(({ status, n }) => [status, n])),
    payouts: await rows(
      `SELECT idempotency_key, status, failure_reason, attention, closed_at IS NULL AS is_open FROM payouts ORDER BY 1`,
    ),
    wallets: await rows('SELECT environment, balance_micro_usdc FROM wallets ORDER BY 1'),
    ledger: await rows(
      `SELECT s.cause, a.kind, count(*)::int AS n, sum(e.amount_micro_usdc) AS sum FROM ledger_sets s
        JOIN ledger_entries e ON e.set_id = s.id JOIN ledger_accounts a ON a.id = e.account_id GROUP BY 1, 2 ORDER BY 1, 2`,
    ),
    charges: await rows(
      'SELECT kind, count(*)::int AS n, sum(amount_micropounds) AS sum FROM charges GROUP BY 1 ORDER BY 1',
    ),
    held: await rows('SELECT why FROM held_deposits'),
  }
}

/** Processes `all` in order, `width` items at a time. */
async function inLanes<T, R>(width: number, all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const waiting = all.entries()
  const lane = async () => {
    for (const [index, one] of waiting) results[index] = await work(one)
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}
