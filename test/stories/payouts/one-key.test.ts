// One Idempotency-Key creates one payout, however many requests arrive, and a wallet never pays more than its
// balance.
import { expect, test } from '@jest/globals'
import type { Json } from '../../support/bank/client'
import { type Answer, type Asked, sent, useWorld } from '../../support/system/world'

// The live wallet covers exactly fifty payouts of 20.00. Each sends (20.00 + 0.60) / 0.79 USDC, rounded up.
const world = useWorld({
  liveUsdc: '1304.00',
  env: { PAYOUT_CALL_MS: '3000', PAYOUT_ANSWER_MS: '30000', PAYOUT_WITHIN_MS: '3000' },
})

const toTransfers = { method: 'POST', path: '/v0/transfers' }

test('a thousand concurrent requests with one key get one 201 and otherwise 200, and share one ID, one debit and one transfer', async () => {
  await world.pay()
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, () => payRepeatedly({}, { key: 'order-herd' }, ['service_unavailable'])),
  )

  const counts = tally(answers)
  // If the request that creates the payout gets 503, its repetition gets 200, and no request gets 201.
  const isWithout201 = counts[201] === undefined && answers.some(({ wasRepeated }) => wasRepeated)
  expect(counts).toEqual(isWithout201 ? { 200: 1_000 } : { 200: 999, 201: 1 })
  expect(await world.claimed('order-herd')).toMatchObject({ attempt: 1 })
  const replays = answers.filter(({ status }) => status === 200)
  expect(new Set(replays.map(({ headers }) => headers.get('Idempotent-Replayed')))).toEqual(new Set(['true']))
  const ids = new Set(answers.map(({ body }) => body.id))
  expect(ids.size).toBe(1)
  expect(await world.transfersOf([...ids][0])).toHaveLength(1)
})

test('the same key always returns the stored payout with its current status', async () => {
  const first = await world.pay({}, { key: 'order-again' })
  await world.settled(first.body.id)

  const again = await world.pay({}, { key: 'order-again' })

  expect([again.status, again.body.id, again.body.status]).toEqual([200, first.body.id, 'completed'])
  expect(again.body).not.toHaveProperty('quote')
})

test('a client that disconnects within half a second and then retries has one payout, which is paid once', async () => {
  const asked = [1, 2, 5, 10, 15, 20, 30, 45, 65, 90, 130, 180, 250, 350, 500].map(async (ms) => {
    const key = `order-hung-up-${ms}`
    await world.pay({}, { key, signal: AbortSignal.timeout(ms) }).catch(() => 'no answer')
    return { key, again: await world.pay({}, { key }), andAgain: await world.pay({}, { key }) }
  })

  for (const { key, again, andAgain } of await Promise.all(asked)) {
    expect([200, 201]).toContain(again.status)
    expect([andAgain.status, andAgain.body.id]).toEqual([200, again.body.id])
    expect(await world.claimed(key)).toMatchObject({ id: again.body.id, attempt: 1 })
    await world.settled(again.body.id)
    expect(await world.transfersOf(again.body.id)).toHaveLength(1)
  }
})

test('the same key with another body is refused with the names of the differing fields, and sends nothing', async () => {
  const first = await world.pay({}, { key: 'order-mismatch' })

  const other = await world.pay({ amount_gbp: '121.00', reference: 'INV 7' }, { key: 'order-mismatch' })

  expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused'])
  expect(other.body.error.details).toEqual({
    payout_id: first.body.id,
    differing_fields: ['amount_gbp', 'reference'],
  })
  expect(await world.transfersOf(first.body.id)).toHaveLength(1)
})

test('the same key in sandbox and live creates two payouts', async () => {
  await world.topUp('153.30', 'live')
  const sandbox = await world.pay({}, { key: 'order-both' })
  const live = await world.pay({}, { key: 'order-both', environment: 'live' })

  expect([sandbox.status, live.status]).toEqual([201, 201])
  expect(live.body.id).not.toBe(sandbox.body.id)
})

test('402 names the shortfall, and after a top-up of that amount the same key pays', async () => {
  const refused = await world.pay({ amount_gbp: '15000.00' }, { key: 'order-402' })

  expect([refused.status, refused.body.error.code]).toEqual([402, 'insufficient_funds'])
  await world.topUp(refused.body.error.details.shortfall_usdc)
  const paid = await world.pay({ amount_gbp: '15000.00' }, { key: 'order-402' })
  expect([paid.status, paid.body.status]).toEqual([201, sent])
  await world.settled(paid.body.id)
  await world.topUp('5000.00')
})

test('fifty concurrent requests with one key, sent after a 502 while the refused run is still ending, create one transfer', async () => {
  await world.bank.fault({ kind: 'status', status: 401, times: 1, match: toTransfers })
  const refused = await world.pay({}, { key: 'order-502' })

  const answers = await Promise.all(Array.from({ length: 50 }, () => world.pay({}, { key: 'order-502' })))

  expect(refused.status).toBe(502)
  expect(tally(answers)).toEqual({ 200: 49, 201: 1 })
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(await world.transfersOf(answers[0]?.body.id)).toHaveLength(1)
})

test('a key whose first two attempts the bank refuses creates a payout with its third attempt', async () => {
  await world.bank.fault({ kind: 'status', status: 401, times: 2, match: toTransfers })

  const statuses = []
  for (let attempt = 1; attempt <= 3; attempt++) statuses.push((await world.pay({}, { key: 'order-third' })).status)

  expect(statuses).toEqual([502, 502, 201])
  expect(await world.claimed('order-third')).toMatchObject({ attempt: 3 })
})

test('of two hundred concurrent payouts from a wallet that covers fifty, fifty are sent and the others are refused', async () => {
  const busy = ['payout_not_created', 'service_unavailable']
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      payRepeatedly({ amount_gbp: '20.00' }, { environment: 'live', key: `order-of-many-${index}` }, busy),
    ),
  )

  // A payout that is decided before the API responds gets 201 or 402. A slower one gets 201 pending, and can
  // still fail afterwards. A repeated request gets 200 if its first try created the payout.
  const isAccepted = ({ status, wasRepeated }: Repeated) => status === 201 || (status === 200 && wasRepeated)
  const others = answers.filter((answer) => !isAccepted(answer) && answer.status !== 402)
  expect(others.map(({ status, body }) => [status, body.error?.code])).toEqual([])
  const rows = await world.allSettled(answers.filter(isAccepted))
  const sent = rows.filter(({ status }) => status === 'completed')
  expect(sent).toHaveLength(50)
  expect(rows.filter((row) => !sent.includes(row) && !row.failure_reason?.startsWith('insufficient_funds: '))).toEqual(
    [],
  )
  expect(await world.balance('live')).toBe(0n)
})

interface Repeated extends Answer {
  readonly wasRepeated: boolean
}

/**
 * Repeats a request, at most twice, whose error code says that the machine was too busy. `payout_not_created`: the worker
 * missed the three seconds for the call to the bank, and the payout was refunded. `service_unavailable`: the request
 * waited too long for a database connection.
 */
async function payRepeatedly(change: Json, asked: Asked, busy: readonly string[]): Promise<Repeated> {
  let answer = await world.pay(change, asked)
  let repeats = 0
  while (repeats < 2 && busy.includes(answer.body.error?.code)) {
    repeats++
    answer = await world.pay(change, asked)
  }
  return { ...answer, wasRepeated: repeats > 0 }
}

function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
