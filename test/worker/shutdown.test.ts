// A slow activity is not mistaken for a lost one, and a worker that is stopped finishes its running
// activities.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { tsToMs } from '@temporalio/common/lib/time'
import { systemClock } from '../../runtime/clock'
import type { pruneActivity } from '../../workflows'
import { useWorker } from '../support/temporal/a-worker'
import { until } from '../support/until'

const worker = useWorker({ clock: systemClock })

test('an activity that takes longer than its heartbeat timeout finishes at its first attempt', async () => {
  const { handle, release } = await aBlockedActivity()
  const pending = async () => (await handle.describe()).raw.pendingActivities?.[0]
  const first = tsToMs(
    await until('the activity has sent a heartbeat', async () => (await pending())?.lastHeartbeatTime),
  )
  await until('the activity has sent a heartbeat after the timeout', async () => {
    const latest = (await pending())?.lastHeartbeatTime
    return latest && tsToMs(latest) - first > 6_000
  })

  await release()
  await handle.result()

  const { events } = await handle.fetchHistory()
  expect(events?.map((event) => event.activityTaskStartedEventAttributes?.attempt).filter(Boolean)).toEqual([1])
})

// Runs last, because it stops the worker.
test('an activity that is running when the worker is stopped completes at its first attempt', async () => {
  const { handle, release } = await aBlockedActivity()
  await until('it waits for the lock', isWaitingForTheLock)

  const stopped = worker.stop()
  await release()
  await stopped

  const { events } = await handle.fetchHistory()
  expect(events?.map((event) => event.activityTaskStartedEventAttributes?.attempt).filter(Boolean)).toEqual([1])
  expect(events?.some((event) => event.activityTaskCompletedEventAttributes)).toBe(true)
})

/** An activity that waits for a lock until the test releases it. */
async function aBlockedActivity() {
  const holder = worker.db.dataSource.createQueryRunner()
  await holder.startTransaction()
  await holder.query('LOCK TABLE activity IN ACCESS EXCLUSIVE MODE')
  const handle = await worker.client.workflow.start<typeof pruneActivity>('pruneActivity', {
    workflowId: `prune-activity-${randomUUID()}`,
    taskQueue: worker.taskQueue,
    args: [{ batchSize: 2, batchesPerRun: 2, removed: 0 }],
  })
  const release = async () => {
    await holder.commitTransaction()
    await holder.release()
  }
  return { handle, release }
}

async function isWaitingForTheLock(): Promise<boolean> {
  const waiting = await worker.db.dataSource.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return waiting.length > 0
}
