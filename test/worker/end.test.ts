// A worker that gets a stop request ends in time, whatever the state of its servers.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { tsToMs } from '@temporalio/common/lib/time'
import { connectClient } from '../../runtime/temporal/client'
import { housekeepingQueue, ofSystem } from '../../workflows/names'
import { createDatabase, type TestDatabase } from '../support/db/database'
import { proxyOf, type TcpProxy } from '../support/db/tcp-proxy'
import { testSystem } from '../support/jest/system'
import { notPreloaded } from '../support/system/child-env'
import { testTemporal } from '../support/temporal/a-worker'
import { startWorkerProcess, type WorkerProcess } from '../support/temporal/a-worker-process'
import { until } from '../support/until'

/** The limit in docker-compose.yml and docs/operations/deploy.md, with a margin for slow machines. */
const boundMs = 30_000 + 5_000

let database: TestDatabase
let client: Client

beforeAll(async () => {
  database = await createDatabase()
  client = connectClient(testTemporal())
})
afterAll(async () => {
  await client.connection.close()
  await database.drop()
})

// The tests run concurrently, because each one mostly waits.
test.concurrent('a worker ends cleanly when both servers are gone', () =>
  withServers(async ({ postgres, temporal, start }) => {
    const worker = start(notPreloaded)
    await worker.ready
    await Promise.all([postgres.cut(), temporal.cut()])

    const { code, afterMs } = await askedToStop(worker)

    expect(code).toBe(0)
    expect(afterMs).toBeLessThan(boundMs)
    expect(worker.messages.at(-1)).toBe('stopped')
  }))

test.concurrent('a worker ends cleanly when PostgreSQL does not answer', () =>
  withServers(async ({ postgres, start }) => {
    const worker = start()
    await worker.ready
    postgres.stopForwarding()

    const { code, afterMs } = await askedToStop(worker)

    expect(code).toBe(0)
    // The worker's last write to the list of workers has a short timeout.
    expect(afterMs).toBeLessThan(12_000)
  }))

test.concurrent('a worker is forced to end when Temporal stays silent for longer than the shutdown limit', () =>
  withServers(async ({ temporal, start }) => {
    const prefix = aPrefix()
    const worker = start({ TASK_QUEUE_PREFIX: prefix })
    await worker.ready
    await untilItPollsOnANewConnection(temporal, prefix)
    temporal.stopForwarding()

    const { code, afterMs } = await askedToStop(worker)

    expect([code, worker.child.signalCode]).toEqual([null, 'SIGKILL'])
    expect(afterMs).toBeLessThan(boundMs)
    expect(worker.messages).toContain('not stopped within 30000 ms; killing the process')
    expect(worker.messages).not.toContain('stopped')
  }))

test.concurrent('a worker also ends while it waits for a Temporal server that does not answer', () =>
  withServers(async ({ temporal, start }) => {
    temporal.stopForwarding()
    const worker = start()
    await worker.logs(/^Temporal at .* is not available yet/)

    const { afterMs } = await askedToStop(worker)

    expect(afterMs).toBeLessThan(boundMs)
  }))

interface Servers {
  readonly postgres: TcpProxy
  readonly temporal: TcpProxy
  readonly start: (env?: Record<string, string>) => WorkerProcess
}

async function withServers(ends: (servers: Servers) => Promise<void>): Promise<void> {
  const postgres = await proxyOf(database.url)
  const temporal = await proxyOf(`http://${testSystem().temporalAddress}`)
  const started: WorkerProcess[] = []
  const start = (env: Record<string, string> = {}) => {
    const worker = startWorkerProcess({
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: new URL(temporal.url).host,
      TASK_QUEUE_PREFIX: aPrefix(),
      SECRET_KEYS: `k1:${'0'.repeat(64)}`,
      ...env,
    })
    started.push(worker)
    return worker
  }
  try {
    await ends({ postgres, temporal, start })
  } finally {
    for (const worker of started) {
      worker.child.kill('SIGKILL')
      await worker.ended
    }
    await Promise.all([postgres.cut(), temporal.cut()])
  }
}

function aPrefix(): string {
  return `end-${randomBytes(4).toString('hex')}`
}

/**
 * Without a poll in flight, the worker would have nothing to wait for. Keepalive closes a silent connection, with its
 * polls, 45 s after it was opened, so a connection that is too old to stay open for the next 30 s is replaced.
 */
async function untilItPollsOnANewConnection(temporal: TcpProxy, prefix: string): Promise<void> {
  let connectedAt: number
  do {
    await temporal.cut()
    const cutAt = Date.now()
    await temporal.restore()
    await until('it is connected again', () => temporal.isConnected())
    connectedAt = Date.now()
    await until('it polls again', async () => (await lastPollAt(prefix)) > cutAt)
  } while (Date.now() - connectedAt > 10_000)
}

/** When the server received the last poll for housekeeping workflows, in ms since 1970. */
async function lastPollAt(prefix: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: 'default',
    taskQueue: { name: ofSystem(housekeepingQueue, prefix) },
  })
  return Math.max(0, ...(pollers ?? []).map(({ lastAccessTime }) => tsToMs(lastAccessTime)))
}

async function askedToStop(worker: WorkerProcess) {
  const askedAt = performance.now()
  worker.child.kill('SIGTERM')
  const code = await worker.ended
  return { code, afterMs: performance.now() - askedAt }
}
