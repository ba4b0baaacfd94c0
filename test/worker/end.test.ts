// A worker that is asked to stop ends in time, whatever the state of its servers.
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createDatabase, type TestDatabase } from '../support/db/database'
import { proxyOf, type TcpProxy } from '../support/db/tcp-proxy'
import { testSystem } from '../support/jest/system'
import { startWorkerProcess, type WorkerProcess } from '../support/temporal/a-worker-process'

/** The limit in docker-compose.yml and docs/operations.md, with a margin for slow machines. */
const boundMs = 30_000 + 5_000

let database: TestDatabase
let postgres: TcpProxy
let temporal: TcpProxy
let worker: WorkerProcess

beforeAll(async () => {
  database = await createDatabase()
})
beforeEach(async () => {
  postgres = await proxyOf(database.url)
  temporal = await proxyOf(`http://${testSystem().temporalAddress}`)
})
afterEach(async () => {
  worker.child.kill('SIGKILL')
  await worker.ended
  await Promise.all([postgres.cut(), temporal.cut()])
})
afterAll(() => database.drop())

test('it ends in order when both servers are gone', async () => {
  worker = start()
  await worker.ready
  await Promise.all([postgres.cut(), temporal.cut()])

  const { code, afterMs } = await askedToStop()

  expect(code).toBe(0)
  expect(afterMs).toBeLessThan(boundMs)
  expect(worker.said.at(-1)).toBe('stopped')
})

test('it ends in order when PostgreSQL does not answer', async () => {
  worker = start()
  await worker.ready
  postgres.hush()

  const { code, afterMs } = await askedToStop()

  expect(code).toBe(0)
  // Its write to the list of workers gives up early.
  expect(afterMs).toBeLessThan(12_000)
})

test('it ends by force when Temporal does not answer for longer than it waits', async () => {
  worker = start()
  await worker.ready
  temporal.hush()

  const { code, afterMs } = await askedToStop()

  expect([code, worker.child.signalCode]).toEqual([null, 'SIGKILL'])
  expect(afterMs).toBeLessThan(boundMs)
  expect(worker.said).toContain('not stopped within 30000 ms; killing the process')
  expect(worker.said).not.toContain('stopped')
})

test('it also ends while it waits for a Temporal that does not answer', async () => {
  temporal.hush()
  worker = start()
  await worker.says(/^Temporal at .* is not available yet/)

  const { afterMs } = await askedToStop()

  expect(afterMs).toBeLessThan(boundMs)
})

function start(): WorkerProcess {
  return startWorkerProcess({
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: new URL(temporal.url).host,
    TASK_QUEUE_PREFIX: `end-${randomBytes(4).toString('hex')}`,
    SECRET_KEYS: `k1:${'0'.repeat(64)}`,
  })
}

async function askedToStop() {
  const askedAt = performance.now()
  worker.child.kill('SIGTERM')
  const code = await worker.ended
  return { code, afterMs: performance.now() - askedAt }
}
