// Temporal does not answer while a worker drains. The worker still becomes drained, and runs until its process is
// stopped.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type NativeConnection, Worker } from '@temporalio/worker'
import type { OwnState } from '../../db/controls/workers'
import { workUntilStopped } from '../../worker/drain'
import { connectWorker } from '../../worker/temporal/connect'
import { proxyOf, type TcpProxy } from '../support/db/tcp-proxy'
import { testSystem } from '../support/jest/system'
import { keptLog } from '../support/kept-logs'
import { silenceTemporal, testTemporal } from '../support/temporal/a-worker'
import { until } from '../support/until'

silenceTemporal()

let temporal: TcpProxy
let connection: NativeConnection

beforeAll(async () => {
  temporal = await proxyOf(`http://${testSystem().temporalAddress}`)
  connection = await connectWorker({ ...testTemporal(), address: new URL(temporal.url).host })
})
afterAll(() => connection.close())

test('a worker that drains while Temporal is silent reports drained, takes no more tasks, and runs until it is stopped', async () => {
  const worker = await Worker.create({
    connection,
    taskQueue: `silent-${randomUUID()}`,
    workflowBundle: { codePath: testSystem().workflowBundlePath },
    activities: { pruneActivity: async () => 0 },
    shutdownGraceTime: '200ms',
    shutdownForceTime: '1s',
  })
  const [ask, stop] = [new AbortController(), new AbortController()]
  const states: OwnState[] = []
  const lines: string[] = []
  const log = keptLog({ level: 'info', write: (line) => void lines.push(JSON.parse(line).msg) })
  const registration = { askedToDrain: ask.signal, become: async (state: OwnState) => void states.push(state) }
  const parts = { registration, signal: stop.signal, log, onReady: () => {}, drainWithinMs: 2_000 }
  let hasEnded = false
  const working = workUntilStopped([worker], parts).then(() => (hasEnded = true))
  await until('it polls for tasks', () => worker.getStatus().workflowPollerState === 'POLLING')
  temporal.stopForwarding()

  ask.abort()
  await until('the worker is drained', () => states.includes('drained'))

  expect(states).toEqual(['draining', 'drained'])
  expect(lines).toEqual(['drained; takes no new work until this process ends'])
  expect(['STOPPED', 'FAILED']).toContain(worker.getState())
  // The SDK still waits for an answer, and the worker does not wait for the SDK.
  await expect(connection.close()).rejects.toThrow('while Workers hold a reference')
  expect(hasEnded).toBe(false)
  stop.abort()
  await temporal.cut()
  await working
})
