// Heartbeats of activities: a killed worker is noticed within seconds, and a slow one is not mistaken for it.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { tsToMs } from '@temporalio/common/lib/time'
import { systemClock } from '../../../runtime/clock'
import type { pruneActivity } from '../../../workflows'
import { type AWorker, aWorker, silenceTemporal } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

let worker: AWorker

silenceTemporal()

beforeAll(async () => {
  worker = await aWorker({ clock: systemClock })
})

afterAll(async () => {
  await worker.stop()
  await worker.dispose()
})

test('an activity that takes longer than its heartbeat timeout finishes at its first attempt', async () => {
  const holder = worker.db.dataSource.createQueryRunner()
  await holder.startTransaction()
  await holder.query('LOCK TABLE activity IN ACCESS EXCLUSIVE MODE')
  const handle = await worker.client.workflow.start<typeof pruneActivity>('pruneActivity', {
    workflowId: `prune-activity-${randomUUID()}`,
    taskQueue: worker.taskQueue,
    args: [{ batchSize: 2, batchesPerRun: 2, removed: 0 }],
  })
  const pending = async () => (await handle.describe()).raw.pendingActivities?.[0]
  const first = tsToMs(await until('a heartbeat', async () => (await pending())?.lastHeartbeatTime))
  await until('a heartbeat after the timeout', async () => {
    const latest = (await pending())?.lastHeartbeatTime
    return latest && tsToMs(latest) - first > 6_000
  })

  await holder.commitTransaction()
  await holder.release()
  await handle.result()

  const { events } = await handle.fetchHistory()
  expect(events?.map((event) => event.activityTaskStartedEventAttributes?.attempt).filter(Boolean)).toEqual([1])
})
