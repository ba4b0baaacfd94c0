// The worker process from start to end: it waits for servers, refuses a bad configuration, and stops.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { connectClient } from '../../runtime/temporal/client'
import { createDatabase, type TestDatabase } from '../support/db/database'
import { createEmptyDatabase } from '../support/db/empty-database'
import { proxyOf } from '../support/db/tcp-proxy'
import { testSystem } from '../support/jest/system'
import { notPreloaded } from '../support/system/child-env'
import { startWithout } from '../support/temporal/a-temporal-proxy'
import { testTemporal } from '../support/temporal/a-worker'
import { startWorkerProcess, type WorkerProcess } from '../support/temporal/a-worker-process'
import { deleteSchedules } from '../support/temporal/own-schedules'

let database: TestDatabase
let client: Client
let one: WorkerProcess
let other: WorkerProcess
const started: WorkerProcess[] = []
/** A prefix of its own, because Schedules from other test files would give this worker tasks, which it would log. */
const prefix = `main-${randomBytes(4).toString('hex')}`

beforeAll(async () => {
  database = await createDatabase()
  client = connectClient(testTemporal())
  ;[one, other] = [start(notPreloaded), start(notPreloaded)]
})

afterAll(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL')
    await ended
  }
  await deleteSchedules(client, prefix)
  await client.connection.close()
  await database.drop()
})

test('two workers that start concurrently are both ready, and the Schedules exist', async () => {
  expect(await Promise.all([one.ready, other.ready])).toEqual([{ ready: true }, { ready: true }])
  const { action } = await client.schedule.getHandle(`${prefix}-prune-activity`).describe()
  expect(action).toMatchObject({ workflowType: 'pruneActivity', taskQueue: `${prefix}-housekeeping` })
  const sweep = await client.schedule.getHandle(`${prefix}-sweep`).describe()
  expect(sweep.action).toMatchObject({ workflowType: 'sweep', taskQueue: `${prefix}-housekeeping` })
})

test('a worker stops once and cleanly, however many stop requests it gets', async () => {
  const asking = setInterval(() => one.child.kill('SIGTERM'), 5)
  const code = await one.ended
  clearInterval(asking)

  expect(code).toBe(0)
  // On a busy machine the SDK also warns about slow workflow tasks.
  expect(one.messages.filter((message) => !message.startsWith('[TMPRL1104]'))).toEqual(['working', 'stopped'])
  expect(one.errorOutput).toEqual([])
})

test('with WORKER_VERSIONING a worker refuses a server without worker deployments', async () => {
  const server = await startWithout(/WorkerDeployment/, 12)

  const worker = start({ TEMPORAL_ADDRESS: server.address, WORKER_VERSIONING: 'on' })

  expect(await worker.ended).toBe(1)
  expect(worker.errorOutput.join(' ')).toContain(
    'WORKER_VERSIONING is on, but this Temporal server has no worker deployments.',
  )
  await server.close()
})

test('a worker stops when its parent process is gone', async () => {
  other.child.disconnect()

  expect(await other.ended).toBe(0)
})

test('a worker waits for PostgreSQL and then for Temporal, and logs each wait once', async () => {
  const postgres = await proxyOf(database.url)
  const temporal = await proxyOf(`http://${testSystem().temporalAddress}`)
  await Promise.all([postgres.cut(), temporal.cut()])
  const temporalAddress = new URL(temporal.url).host

  const worker = start({ DATABASE_URL: postgres.url, TEMPORAL_ADDRESS: temporalAddress })
  await worker.logs(/PostgreSQL at .* is not available yet/)
  await postgres.restore()
  await worker.logs(/Temporal at .* is not available yet/)
  await temporal.restore()
  await worker.logs(/working/)

  expect(worker.messages).toEqual([
    expect.stringMatching(/^PostgreSQL at .* is not available yet; retrying: connect ECONNREFUSED/),
    expect.stringMatching(/^PostgreSQL at .* is available$/),
    `Temporal at ${temporalAddress} is not available yet; retrying: Connection refused`,
    `Temporal at ${temporalAddress} is available`,
    'working',
  ])
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toBe(0)
  await Promise.all([postgres.cut(), temporal.cut()])
})

test.each([
  ['Temporal', { TEMPORAL_ADDRESS: '127.0.0.1:1' }, /^Temporal at 127\.0\.0\.1:1 is not available yet/],
  [
    'PostgreSQL, of which it logs the folder of the socket',
    { DATABASE_URL: 'postgres://ada@unused.test/payouts?host=/nowhere' },
    /^PostgreSQL at \/nowhere is not available yet/,
  ],
] as const)('a worker can be stopped while it waits for %s', async (_, env, message) => {
  const worker = start(env)
  await worker.logs(message)

  worker.child.kill('SIGTERM')

  expect(await worker.ended).toBe(0)
})

test('configuration errors are reported together, as full sentences', async () => {
  const worker = start({ DATABASE_URL: '', LOG_LEVEL: 'loud' })

  expect(await worker.ended).toBe(1)
  expect(worker.errorOutput).toEqual([
    'The configuration has mistakes:',
    '  DATABASE_URL is required.',
    '  LOG_LEVEL must be one of: debug, info, warn, error, silent.',
  ])
  expect(worker.messages).toEqual([])
})

test('a metrics port that is in use is reported in one error message', async () => {
  // PostgreSQL uses this port.
  const { port } = new URL(database.url)
  const worker = start({ WORKER_METRICS_PORT: port })

  expect(await worker.ended).toBe(1)
  expect(worker.errorOutput.at(-1)).toBe(
    `  WORKER_METRICS_PORT: 127.0.0.1:${port} cannot be opened; choose another one.`,
  )
})

test('a database that lacks a migration is refused with one error message', async () => {
  const empty = await createEmptyDatabase()

  const worker = start({ DATABASE_URL: empty.url })

  expect(await worker.ended).toBe(1)
  expect(worker.errorOutput).toEqual([
    expect.stringMatching(/^The database lacks Partners\d+, .*: run `npm run migrate`, then start the worker again\.$/),
  ])
  await empty.drop()
})

function start(env: Record<string, string> = {}): WorkerProcess {
  const worker = startWorkerProcess({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: testSystem().temporalAddress,
    SECRET_KEYS: `k1:${'0'.repeat(64)}`,
    TASK_QUEUE_PREFIX: prefix,
    // Schedules that run every minute would add lines to the log, depending on the machine's speed.
    ...Object.fromEntries(['SWEEP', 'NOTICES', 'AUDIT_SEAL'].map((name) => [`${name}_EVERY_MS`, '86400000'])),
    ...env,
  })
  started.push(worker)
  return worker
}
