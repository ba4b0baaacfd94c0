// The topology of docker-compose.yml as plain processes: a production Temporal server on PostgreSQL, two APIs and two
// workers. The tests kill one API, one worker and the Temporal server.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { migrate } from '../../db/migrate'
import { removeCluster } from '../../local/postgres/cluster'
import { type Postgres, startPostgres } from '../../local/postgres/start'
import { openPartners, type Partners } from '../chaos/partners'
import { settleMs, sumOf, verdictOn } from '../chaos/verdict'
import { openWorld, type World } from '../support/system/world'
import { until } from '../support/until'
import { type ProductionTemporal, startProductionTemporal } from './temporal-server'

// The first run builds the Temporal server.
jest.setTimeout(1_800_000)

const folder = mkdtempSync(join(tmpdir(), 'payouts-cluster-'))
let postgres: Postgres
let temporalPostgres: Postgres
let temporal: ProductionTemporal
let world: World
let partners: Partners

beforeAll(async () => {
  // When root runs this test, PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(folder, 0o755)
  postgres = await openPostgres('postgres')
  temporalPostgres = await openPostgres('temporal-postgres')
  temporal = await startProductionTemporal(folder, temporalPostgres)
  await migrate(postgres.url)
  world = await openWorld({
    ofEach: 2,
    databaseUrl: postgres.url,
    temporalAddress: temporal.address,
    env: {
      PAYOUT_ANSWER_MS: '3000',
      PAYOUT_REPEAT_MS: '60000',
      SWEEP_EVERY_MS: '5000',
      PROOF_EVERY_MS: '15000',
      AUDIT_SEAL_EVERY_MS: '10000',
    },
  })
  partners = await openPartners(world)
})
afterAll(async () => {
  try {
    await world.close()
  } finally {
    await temporal.stop()
    for (const server of [postgres, temporalPostgres]) await server.stop()
    for (const name of ['postgres', 'temporal-postgres']) removeCluster(join(folder, name))
    rmSync(folder, { recursive: true, force: true })
  }
})

test('payouts are still accepted while one API and one worker are down', async () => {
  await accepted(20)

  await Promise.all([world.apis[1]?.kill(), world.workers[0]?.kill()])
  const whileTheyWereDown = await accepted(20)
  await Promise.all([world.apis[1]?.start(), world.workers[0]?.start()])
  await accepted(20)

  expect(whileTheyWereDown).toBeGreaterThanOrEqual(20)
})

test('when the Temporal server is killed and restarted, every payout ends, none is paid twice, and no request gets 502', async () => {
  const answeredBefore = partners.seen.length
  await temporal.kill()
  await accepted(5)
  await temporal.start()
  await accepted(20)

  const verdict = await verdictOn(world, partners)

  process.stderr.write(`${JSON.stringify(verdict)}\n`)
  expect(verdict).toMatchObject({ paidTwice: [], drifts: [], falseAlarms: [] })
  expect(sumOf(verdict.outcomes)).toBe(verdict.orders)
  expect(partners.seen.slice(answeredBefore).map(({ status }) => status)).not.toContain(502)
})

/** Waits until this many more payouts are accepted. */
async function accepted(more: number): Promise<number> {
  const count = () => partners.seen.filter(({ status }) => status === 201).length
  const before = count()
  await until(`${more} more are accepted`, () => count() >= before + more, settleMs)
  return count() - before
}

function openPostgres(name: string): Promise<Postgres> {
  const files = { dataDir: join(folder, name), logFile: join(folder, `${name}.log`) }
  const password = randomBytes(16).toString('hex')
  return startPostgres({ ...files, preferredPort: 0, password })
}
