// Two APIs and two workers, as in a highly available deployment: still one payout for a key, and nothing is
// lost or paid twice when a worker is killed or drained while payouts run.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { listWorkers, requestDrain } from '../../db/controls/workers'
import { openWorld, type World } from '../support/system/world'
import { until } from '../support/until'

interface Listed {
  readonly id: string
  readonly state: string
}

const toTransfers = { method: 'POST', path: '/v0/transfers' }

let world: World

beforeAll(async () => {
  const brief = { PAYOUT_CALL_MS: '3000', PAYOUT_WITHIN_MS: '3000', PAYOUT_ANSWER_MS: '30000' }
  world = await openWorld({ ofEach: 2, env: { ...brief, PAYOUT_PATIENT_CALL_MS: '7000' } })
})
afterEach(async () => {
  await world.bank.control('DELETE', '/faults')
  await world.judge()
})
afterAll(() => world.close())

test('one of two workers is drained under load: every payout completes, some on the other worker, and the drained one stays drained', async () => {
  const [leaving] = await working()
  // The bank knows the recipient from here on, so no payout is refused because its registration took too long.
  await world.settled((await world.pay()).body.id)
  const answers = Array.from({ length: 30 }, () => world.pay({ amount_gbp: '6.00' }))
  await someAreSent(600)

  const drained = await world.ops('worker', 'drain', '--worker', leaving?.id ?? '')

  expect(drained).toMatchObject({ id: leaving?.id, state: 'drained' })
  answers.push(...Array.from({ length: 10 }, () => world.pay({ amount_gbp: '6.00' })))
  const answered = await Promise.all(answers)
  expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([201]))
  const rows = await world.allSettled(answered)
  expect(rows.map(({ status }) => status)).toEqual(Array(40).fill('completed'))
  expect(world.workers.map((worker) => worker.isRunning())).toEqual([true, true])
  expect(await working()).toHaveLength(1)
})

test('all workers are drained while the bank is slow: the running call completes, and the next worker continues from there', async () => {
  const workers = await working()
  // The caller's own call times out after 3 s; the call in the background gets the bank's answer.
  const slow = await world.bank.fault({ kind: 'hang', ms: 5_000, times: null, match: toTransfers })
  const { body } = await world.pay({ amount_gbp: '7.00' })
  await until('the bank has the second call', async () => (await world.bank.counts(slow)).fired === 2)
  expect((await world.row(body.id)).transfer_ref).toBeNull()

  // Does not use the command, because starting it may take as long as the call.
  const at = new Date()
  for (const { id } of workers) await requestDrain(world.db, { id, by: 'ops:ada', at, ifLast: 'drain' })
  await until('all are drained', async () => (await states()).every((state) => state === 'drained'))

  const { transfer_ref: transferRef } = await world.row(body.id)
  expect([transferRef, (await world.bank.counts(slow)).fired]).toEqual([expect.any(String), 2])
  for (const worker of world.workers) await worker.stop()
  await Promise.all(world.workers.map((worker) => worker.start()))
  expect(await world.settled(body.id)).toMatchObject({ status: 'completed', transfer_ref: transferRef })
  expect(await world.transfersOf(body.id)).toHaveLength(1)
})

test('a thousand requests with one key, spread over both APIs: one 201, the rest 200, one id, one debit, one transfer', async () => {
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => world.pay({}, { key: 'order-herd' })))

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === 'true')).toHaveLength(999)
  const ids = [...new Set(answers.map(({ body }) => body.id))]
  expect(ids).toHaveLength(1)
  await world.settled(ids[0])
  expect(await world.transfersOf(ids[0])).toHaveLength(1)
})

test('one of the two workers is killed while thirty payouts are in flight: the other one pays each of them once', async () => {
  const answers = Array.from({ length: 30 }, () => world.pay({ amount_gbp: '5.00' }))
  await someAreSent(500)

  await world.workers[1]?.kill()

  const answered = await Promise.all(answers)
  expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([201]))
  const rows = await world.allSettled(answered)
  expect(rows.map(({ status }) => status)).toEqual(Array(30).fill('completed'))
})

async function states(): Promise<string[]> {
  return (await listWorkers(world.db)).map(({ state }) => state)
}

async function working(): Promise<Listed[]> {
  const { data }: { data: Listed[] } = await world.ops('worker', 'list')
  return data.filter(({ state }) => state === 'working')
}

function someAreSent(amountPence: number): Promise<unknown> {
  return until('some are in flight', async () => {
    const sql = 'SELECT count(*)::int AS n FROM payouts WHERE amount_pence = $1 AND submit_started_at IS NOT NULL'
    const [{ n }] = await world.db.dataSource.query<[{ n: number }]>(sql, [amountPence])
    return n > 3
  })
}
