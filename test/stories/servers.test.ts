// PostgreSQL and Temporal killed under load and started again: what was acknowledged is there, and everything is finished.
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { environment } from '../../config'
import { migrate } from '../../db/migrate'
import { type Postgres, startPostgres } from '../../local/postgres'
import { removeCluster } from '../../local/postgres/cluster'
import { startTemporal, type TemporalServer } from '../../local/temporal'
import { findTemporalCli } from '../../local/temporal-cli'
import { until } from '../local/until'
import { type Answer, openWorld, type World } from './world'

const folder = mkdtempSync(join(tmpdir(), 'payouts-story-'))
const password = randomBytes(16).toString('hex')
let postgres: Postgres
let temporal: TemporalServer
// A machine that does other things too is slow, and that is no fault of a story's.
jest.setTimeout(120_000)

let world: World

beforeAll(async () => {
  // As root PostgreSQL runs as another user, who has to get in.
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

test('PostgreSQL is killed under load and started again: no acknowledged payout is lost, none is paid twice', async () => {
  const load = underLoad(30)
  await load.some()

  process.kill(postgres.pid, 'SIGKILL')
  await postgres.exited
  postgres = await openPostgres(postgres.port)

  await load.done()
  await until('our own connections are back', () => world.db.ping().then(yes, no))
  await expect(world.judge()).resolves.toBeUndefined()
})

test('Temporal is killed under load and started again: pending meanwhile and never 502, and all of them complete', async () => {
  const load = underLoad(30)
  await load.some()

  process.kill(temporal.pid, 'SIGKILL')
  await temporal.exited
  const meanwhile = await world.pay()
  temporal = await openTemporal(Number(temporal.address.split(':')[1]))

  const answers = [meanwhile, ...(await load.done())]
  expect(meanwhile.body.status).toBe('pending')
  expect(load.refusals).not.toContain(502)
  const rows = await Promise.all(
    answers.map(({ body }) =>
      until(
        'it is over',
        async () => {
          const row = await world.row(body.id)
          return row.closed_at !== null && row
        },
        60_000,
      ),
    ),
  )
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['completed']))
  await expect(world.judge()).resolves.toBeUndefined()
})

/** Clients that each ask again under the same key until they have an answer that says what became of it. */
function underLoad(clients: number): Load {
  let answered = 0
  const refusals: number[] = []
  const asked = Array.from({ length: clients }, async () => {
    const key = `order-${randomUUID()}`
    for (;;) {
      const answer = await world.pay({ amount_gbp: '2.00' }, { key }).catch(() => null)
      if (answer !== null && answer.status < 300) {
        answered += 1
        return answer
      }
      if (answer !== null) refusals.push(answer.status)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })
  return { refusals, some: () => until('some are answered', () => answered > 2), done: () => Promise.all(asked) }
}

interface Load {
  readonly refusals: readonly number[]
  some(): Promise<unknown>
  done(): Promise<Answer[]>
}

function openPostgres(preferredPort: number): Promise<Postgres> {
  const files = { dataDir: join(folder, 'postgres'), logFile: join(folder, 'postgres.log') }
  // Durable: a killed process loses nothing, but this is what it is for.
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
