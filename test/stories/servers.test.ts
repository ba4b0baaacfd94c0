// PostgreSQL and Temporal are killed under load and restarted: no acknowledged payout is lost, and all work is
// finished.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { migrate } from '../../db/migrate'
import { type OwnServers, openServers } from '../support/system/own-servers'
import { underLoad } from '../support/system/under-load'
import { openWorld, type World } from '../support/system/world'
import { until } from '../support/until'

let servers: OwnServers
let world: World

beforeAll(async () => {
  servers = await openServers()
  await migrate(servers.postgres.url)
  world = await openWorld({
    databaseUrl: servers.postgres.url,
    temporalAddress: servers.temporal.address,
    env: { SWEEP_EVERY_MS: '5000', PAYOUT_ANSWER_MS: '3000', DATABASE_POOL_SIZE: '10' },
  })
})
afterAll(async () => {
  try {
    await world.close()
  } finally {
    await servers.close()
  }
})

test('after PostgreSQL is killed under load and restarted, no acknowledged payout is lost and none is paid twice', async () => {
  const load = underLoad(world, 30)
  await load.some()

  await servers.postgres.kill()
  await servers.postgres.start()

  await load.done()
  await until('our own connections are back', () => world.db.ping().then(yes, no))
  await expect(world.judge()).resolves.toBeUndefined()
})

test('while Temporal is down, payouts stay pending and none gets 502, and all complete after its restart', async () => {
  const load = underLoad(world, 30)
  await load.some()

  await servers.temporal.kill()
  const duringOutage = await world.pay()
  await servers.temporal.start()

  const answers = [duringOutage, ...(await load.done())]
  expect(duringOutage.body.status).toBe('pending')
  expect(load.refusals).not.toContain(502)
  const rows = await world.allSettled(answers)
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['completed']))
  await expect(world.judge()).resolves.toBeUndefined()
})

test('after the API, worker, Temporal and PostgreSQL are killed together under load and restarted, all payouts complete', async () => {
  const load = underLoad(world, 30)
  await load.some()

  await Promise.all([world.api, world.worker, servers.temporal, servers.postgres].map((each) => each.kill()))
  // Starts the worker before both servers, so that it has to wait for them: no supervisor guarantees an order.
  const worker = world.worker.start()
  await servers.temporal.start()
  await servers.postgres.start()
  await Promise.all([worker, world.api.start()])

  const answers = await load.done()
  await until('our own connections are back', () => world.db.ping().then(yes, no))
  const rows = await world.allSettled(answers)
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['completed']))
  await expect(world.judge()).resolves.toBeUndefined()
})

function yes(): boolean {
  return true
}

function no(): boolean {
  return false
}
