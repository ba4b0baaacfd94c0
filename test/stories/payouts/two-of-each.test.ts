// Two APIs and two workers at once, as in a highly available deployment: still one payout for a key.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { openWorld, type World } from '../../support/system/world'
import { until } from '../../support/until'

let world: World

beforeAll(async () => {
  world = await openWorld({ ofEach: 2, env: { PAYOUT_CALL_MS: '3000', PAYOUT_ANSWER_MS: '30000' } })
})
afterEach(() => world.judge())
afterAll(() => world.close())

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
  await until('some are in flight', async () => {
    const [{ n }] = await world.db.dataSource.query<[{ n: number }]>(
      'SELECT count(*)::int AS n FROM payouts WHERE amount_pence = 500 AND submit_started_at IS NOT NULL',
    )
    return n > 3
  })

  await world.workers[1]?.kill()

  const answered = await Promise.all(answers)
  expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([201]))
  const rows = await world.allSettled(answered)
  expect(rows.map(({ status }) => status)).toEqual(Array(30).fill('completed'))
})
