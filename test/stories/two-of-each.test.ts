// Two APIs and two workers, as in a highly available deployment. An Idempotency-Key still has one payout, and
// nothing is lost or paid twice when a worker is killed or drained under load.
import { expect, test } from '@jest/globals'
import { listWorkers, requestDrain } from '../../db/controls/workers'
import { useWorld } from '../support/system/world'
import { until } from '../support/until'

interface Listed {
  readonly id: string
  readonly state: string
}

const toTransfers = { method: 'POST', path: '/v0/transfers' }

const brief = { PAYOUT_CALL_MS: '3000', PAYOUT_WITHIN_MS: '3000', PAYOUT_ANSWER_MS: '30000' }
const world = useWorld({ ofEach: 2, env: { ...brief, PAYOUT_PATIENT_CALL_MS: '7000' } })

test('draining one of two workers under load loses no payout, and the drained worker stays drained', async () => {
  const [leaving] = await working()
  // Registers the recipient at the bank first, so that no later payout is refused because of a slow registration.
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

test('draining all workers while the bank is slow completes the running call, and the next worker continues from there', async () => {
  const workers = await working()
  // The first call to the bank times out after 3 s, but the background call gets the bank's response.
  const slow = await world.bank.fault({ kind: 'hang', ms: 5_000, times: null, match: toTransfers })
  const { body } = await world.pay({ amount_gbp: '7.00' })
  await until('the bank has the second call', async () => (await world.bank.counts(slow)).fired === 2)
  expect((await world.row(body.id)).transfer_ref).toBeNull()

  // Does not use the drain command, because starting it may take as long as the call.
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

test('a thousand requests with one key, spread over both APIs, get one 201 and otherwise 200, and share one ID, one debit and one transfer', async () => {
  const pay = () => world.pay({}, { key: 'order-herd' })
  // On a busy machine, an API closes a connection whose request takes ten seconds to arrive. The client then repeats
  // it. For a closed connection, fetch throws a TypeError.
  const repeat = (error: unknown) => {
    if (error instanceof TypeError) return pay()
    throw error
  }
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => pay().catch(repeat)))

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === 'true')).toHaveLength(999)
  const ids = [...new Set(answers.map(({ body }) => body.id))]
  expect(ids).toHaveLength(1)
  await world.settled(ids[0])
  expect(await world.transfersOf(ids[0])).toHaveLength(1)
})

test('when one of two workers is killed while thirty payouts are in flight, the other pays each of them once', async () => {
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
