// A worker that is asked to stop finishes its running activities.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { pruneActivity } from '../../workflows'
import { type AWorker, aWorker, silenceTemporal } from '../support/temporal/a-worker'

let worker: AWorker

silenceTemporal()

beforeAll(async () => {
  worker = await aWorker({ clock: { now: () => new Date('2026-11-15T03:30:00.000Z') }, activityRetentionDays: 400 })
})

afterAll(async () => {
  await worker.stop()
  await worker.dispose()
})

test('an activity that runs when the worker is asked to stop completes at its first attempt', async () => {
  const holder = worker.db.dataSource.createQueryRunner()
  await holder.startTransaction()
  await holder.query('LOCK TABLE activity IN ACCESS EXCLUSIVE MODE')
  const handle = await worker.client.workflow.start<typeof pruneActivity>('pruneActivity', {
    workflowId: `prune-activity-${randomUUID()}`,
    taskQueue: worker.taskQueue,
    args: [{ batchSize: 2, batchesPerRun: 2, removed: 0 }],
  })
  await until(isWaitingForTheLock)

  const stopped = worker.stop()
  await holder.commitTransaction()
  await holder.release()
  await stopped

  const { events } = await handle.fetchHistory()
  expect(events?.map((event) => event.activityTaskStartedEventAttributes?.attempt).filter(Boolean)).toEqual([1])
  expect(events?.some((event) => event.activityTaskCompletedEventAttributes)).toBe(true)
})

async function isWaitingForTheLock(): Promise<boolean> {
  const waiting = await worker.db.dataSource.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return waiting.length > 0
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}
