// PostgreSQL and Temporal are killed under load and restarted: no acknowledged payout is lost, and all work is
// finished.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { migrate } from '../../db/migrate'
import { removeCluster } from '../../local/postgres/cluster'
import { type Postgres, startPostgres } from '../../local/postgres/start'
import { findTemporalCli } from '../../local/temporal/find-cli'
import { startTemporal, type TemporalServer } from '../../local/temporal/start'
import { environment } from '../../runtime/config/config'
import { underLoad } from '../support/system/under-load'
import { openWorld, type World } from '../support/system/world'
import { until } from '../support/until'

const folder = mkdtempSync(join(tmpdir(), 'payouts-story-'))
const password = randomBytes(16).toString('hex')
let postgres: Postgres
let temporal: TemporalServer

let world: World

beforeAll(async () => {
  // When root runs this test, PostgreSQL runs as another user, who needs access.
  chmodSync(folder, 0o755)
  ;[postgres, temporal] = await Promise.all([openPostgres(0), openTemporal(0)])
  await migrate(postgres.url)
  world = await openWorld({
    databaseUrl: postgres.url,
    temporalAddress: temporal.address,
    env: { PAYOUT_ANSWER_MS: '3000', DATABASE_POOL_SIZE: '10' },
  })
})
afterAll(async () => {
  try {
    await world.close()
  } finally {
    await temporal.stop()
    await postgres.stop()
    removeCluster(join(folder, 'postgres'))
    rmSync(folder, { recursive: true, force: true })
  }
})

test('after PostgreSQL is killed under load and restarted, no acknowledged payout is lost and none is paid twice', async () => {
  const load = underLoad(world, 30)
  await load.some()

  await gone(postgres)
  postgres = await openPostgres(postgres.port)

  await load.done()
  await until('our own connections are back', () => world.db.ping().then(yes, no))
  await expect(world.judge()).resolves.toBeUndefined()
})

test('while Temporal is down, payouts stay pending and none gets 502, and all complete after its restart', async () => {
  const load = underLoad(world, 30)
  await load.some()

  await gone(temporal)
  const duringOutage = await world.pay()
  temporal = await openTemporal(Number(temporal.address.split(':')[1]))

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

  await Promise.all([world.api.kill(), world.worker.kill(), gone(temporal), gone(postgres)])
  // Starts the worker before both servers, so that it has to wait for them: no supervisor guarantees an order.
  const worker = world.worker.start()
  temporal = await openTemporal(Number(temporal.address.split(':')[1]))
  postgres = await openPostgres(postgres.port)
  await Promise.all([worker, world.api.start()])

  const answers = await load.done()
  await until('our own connections are back', () => world.db.ping().then(yes, no))
  const rows = await world.allSettled(answers)
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['completed']))
  await expect(world.judge()).resolves.toBeUndefined()
})

async function gone(server: Postgres | TemporalServer): Promise<void> {
  process.kill(server.pid, 'SIGKILL')
  await server.exited
}

function openPostgres(preferredPort: number): Promise<Postgres> {
  const files = { dataDir: join(folder, 'postgres'), logFile: join(folder, 'postgres.log') }
  // Writes are durable, as in production, although killing only the process would lose nothing anyway.
  return startPostgres({ ...files, preferredPort, password, durable: 'on', maxConnections: 100 })
}

async function openTemporal(preferredPort: number): Promise<TemporalServer> {
  const cli = await findTemporalCli({ env: environment(), dataDir: join(folder, 'data'), report: () => undefined })
  const files = { logFile: join(folder, 'temporal.log'), dbFile: join(folder, 'temporal.db') }
  return startTemporal({ cli, ...files, preferredPort, preferredUiPort: null })
}

function yes(): boolean {
  return true
}

function no(): boolean {
  return false
}
