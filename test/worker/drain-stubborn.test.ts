// An activity outlasts a draining worker's timeout. The worker still becomes drained, and another worker repeats
// the activity.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client } from '@temporalio/client'
import { type NativeConnection, Worker } from '@temporalio/worker'
import type { OwnState } from '../../db/controls/workers'
import { workUntilStopped } from '../../worker/drain'
import { heartbeats } from '../../worker/temporal/activity-interceptors'
import { connectWorker } from '../../worker/temporal/connect'
import type { pruneActivity } from '../../workflows'
import { testSystem } from '../support/jest/system'
import { keptLog } from '../support/kept-logs'
import { silenceTemporal, testTemporal } from '../support/temporal/a-worker'
import { until } from '../support/until'

silenceTemporal()

let connection: NativeConnection

beforeAll(async () => {
  connection = await connectWorker(testTemporal())
})
afterAll(() => connection.close())

test('a worker whose activity outlasts the drain timeout reports drained and keeps running, and another worker runs the activity', async () => {
  const taskQueue = `stubborn-${randomUUID()}`
  const workerWith = (activity: () => Promise<number>) =>
    Worker.create({
      connection,
      taskQueue,
      workflowBundle: { codePath: testSystem().workflowBundlePath },
      activities: { pruneActivity: activity },
      interceptors: { activity: [heartbeats] },
      shutdownGraceTime: '200ms',
      shutdownForceTime: '1s',
    })
  const [begun, never] = [deferred(), deferred()]
  const stubborn = await workerWith(async () => {
    begun.resolve()
    await never.promise
    return 0
  })
  const [ask, stop] = [new AbortController(), new AbortController()]
  const states: OwnState[] = []
  const lines: string[] = []
  const log = keptLog({ level: 'info', write: (line) => void lines.push(JSON.parse(line).msg) })
  const registration = { askedToDrain: ask.signal, become: async (state: OwnState) => void states.push(state) }
  let hasEnded = false
  const working = workUntilStopped([stubborn], { registration, signal: stop.signal, log, onReady: () => {} }).then(
    () => (hasEnded = true),
  )
  const handle = await new Client({ connection }).workflow.start<typeof pruneActivity>('pruneActivity', {
    workflowId: `prune-activity-${randomUUID()}`,
    taskQueue,
    args: [{ batchSize: 2, batchesPerRun: 2, removed: 0 }],
  })
  await begun.promise

  ask.abort()
  await until('the worker is drained', () => states.includes('drained'))
  const other = await workerWith(async () => 0)
  await other.runUntil(handle.result())

  expect(states).toEqual(['draining', 'drained'])
  expect(lines).toEqual([
    'activities did not finish in time; another worker repeats them',
    'drained; takes no new work until this process ends',
  ])
  expect(hasEnded).toBe(false)
  stop.abort()
  await working
  never.resolve()
})

function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}
