// A drained worker process takes no tasks but keeps running, is listed differently from a lost worker, and exits
// on request.
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { findWorker, listWorkers } from '../../db/controls/workers'
import { choosePort } from '../../local/ports'
import { connectClient } from '../../runtime/temporal/client'
import { ofSystem } from '../../workflows/names'
import { scrape } from '../support/api/scrape'
import { proxyOf } from '../support/db/tcp-proxy'
import { testSystem } from '../support/jest/system'
import { testTemporal } from '../support/temporal/a-worker'
import { pollersIn, startWorkerProcess, type WorkerProcess } from '../support/temporal/a-worker-process'
import { type OpsTerminal, openTerminal } from '../support/terminal'
import { until } from '../support/until'

let terminal: OpsTerminal
let client: Client
const started: WorkerProcess[] = []
const prefix = `drain-${randomBytes(4).toString('hex')}`

beforeAll(async () => {
  terminal = await openTerminal()
  client = connectClient(testTemporal())
})

afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
})

afterAll(async () => {
  for await (const { scheduleId } of client.schedule.list())
    if (scheduleId.startsWith(prefix)) await client.schedule.getHandle(scheduleId).delete()
  await client.connection.close()
  await terminal.close()
})

test('a drained worker stops polling, keeps sending heartbeats, and runs until its process is stopped', async () => {
  const metricsPort = await choosePort(0)
  const worker = start({ WORKER_METRICS_PORT: String(metricsPort) })
  await worker.ready
  const metrics = () => scrape(`http://127.0.0.1:${metricsPort}`)
  const id = await idOf(worker)
  await until('it polls for tasks', async () => pollersIn((await metrics()).text) > 0)

  const { code, out } = await terminal.ops('worker', 'drain', '--worker', id, '--last', 'allow')

  expect([code, out]).toEqual([0, expect.stringContaining(`Worker ${id} is drained: process ${worker.child.pid} on `)])
  const sweep = await client.workflow.start('sweep', {
    workflowId: `${prefix}-untaken`,
    taskQueue: ofSystem('housekeeping', prefix),
    args: [{ pageSize: 1, pages: 1 }],
  })
  await until('it no longer polls', async () => pollersIn((await metrics()).text) === 0)
  const { text } = await metrics()
  expect(statesIn(text)).toEqual({ working: 0, draining: 0, drained: 1 })
  expect(text).not.toMatch(noSlotLeft)
  const { seenAt } = await listed(id)
  await until('it sends another heartbeat', async () => (await listed(id)).seenAt > seenAt)
  expect((await listed(id)).state).toBe('drained')
  expect((await sweep.describe()).historyLength).toBe(2)
  expect(worker.messages).toEqual(['working', 'drained; takes no new work until this process ends'])
  expect(worker.child.exitCode).toBeNull()

  worker.child.kill('SIGTERM')

  expect(await worker.ended).toBe(0)
  expect((await listed(id)).state).toBe('ended')
  await sweep.terminate()
})

test('a worker that lost its database reconnects, and writes the updates that the database missed', async () => {
  const postgres = await proxyOf(terminal.env.DATABASE_URL)
  const worker = start({ DATABASE_URL: postgres.url })
  await worker.ready
  const id = await idOf(worker)
  await postgres.cut()
  await worker.logs(/^The list of workers is not available yet/)

  const asked = await terminal.ops('worker', 'drain', '--worker', id, '--last', 'allow', '--wait', '0')
  await postgres.restore()
  await worker.logs(/^drained/)

  expect(asked.code).toBe(0)
  await until('the list shows it', async () => (await listed(id)).state === 'drained')

  const before = timesUnavailable(worker)
  await postgres.cut()
  await until('the worker has lost its database again', () => timesUnavailable(worker) > before)
  await terminal.db.dataSource.query('UPDATE workers SET drained_at = NULL WHERE id = $1', [id])
  const missed = (await listed(id)).state
  await postgres.restore()
  const later = await until('the list shows it again', async () => (await listed(id)).drainedAt)

  expect([missed, later]).toEqual(['draining', expect.any(Date)])
  await postgres.cut()
})

test('worker list also shows a worker stopped by a signal, and a killed worker does not count as running', async () => {
  const [signalled, killed] = [start(), start()]
  await Promise.all([signalled.ready, killed.ready])
  const [first, second] = [await idOf(signalled), await idOf(killed)]

  signalled.child.kill('SIGTERM')
  killed.child.kill('SIGKILL')
  await Promise.all([signalled.ended, killed.ended])

  expect(await listed(first)).toMatchObject({ state: 'ended', askedBy: null, drainingAt: expect.any(Date) })
  await terminal.db.dataSource.query(`UPDATE workers SET seen_at = seen_at - interval '30 s' WHERE id = $1`, [second])
  expect((await listed(second)).state).toBe('gone')
})

function start(env: Record<string, string> = {}): WorkerProcess {
  const worker = startWorkerProcess({
    DATABASE_URL: terminal.env.DATABASE_URL,
    TEMPORAL_ADDRESS: testSystem().temporalAddress,
    SECRET_KEYS: terminal.env.SECRET_KEYS,
    TASK_QUEUE_PREFIX: prefix,
    ...env,
  })
  started.push(worker)
  return worker
}

function timesUnavailable({ messages }: WorkerProcess): number {
  return messages.filter((message) => message.startsWith('The list of workers is not available yet')).length
}

async function idOf({ child }: WorkerProcess): Promise<string> {
  const found = (await listWorkers(terminal.db)).find(({ pid }) => pid === child.pid)
  if (found === undefined) throw new Error('the worker is not listed')
  return found.id
}

async function listed(id: string) {
  const found = await findWorker(terminal.db, id)
  if (found === null) throw new Error('the worker is not listed')
  return found
}

/** The condition of the alert PayoutsWorkerFull. */
const noSlotLeft = /^temporal_worker_task_slots_available\{.*worker_type="WorkflowWorker".*\} 0$/m

function statesIn(text: string): Record<string, number> {
  const samples = [...text.matchAll(/^payouts_worker_state\{.*state="(\w+)".*\} (\d+)$/gm)]
  return Object.fromEntries(samples.map(([, state = '', value]) => [state, Number(value)]))
}
