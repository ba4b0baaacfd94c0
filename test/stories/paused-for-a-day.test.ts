// A rail that was paused for longer than the bank remembers keys: what waited is looked for first, then sent, once.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openWorld, type World } from './world'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('a payout that has waited for a day for a paused rail is sent when the rail is open, once', async () => {
  await world.ops('rail', 'pause', '--environment', 'sandbox')
  const { body, status } = await world.pay()
  expect([status, body.status]).toEqual([201, 'pending'])

  await world.goAhead(25 * 3_600_000)
  await world.ops('rail', 'resume', '--environment', 'sandbox')

  expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
  expect(await world.transfersOf(body.id)).toHaveLength(1)
  // Told before anybody looked: what the partner was answered stays.
  expect((await world.get(`/v1/payouts/${body.id}`)).body.status).toBe('completed')
  await world.judge()
})
