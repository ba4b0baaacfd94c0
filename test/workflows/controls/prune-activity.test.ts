// Entries that record no change are deleted after ACTIVITY_RETENTION_DAYS. Changes are kept forever.
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import type { WorkflowHandle } from '@temporalio/client'
import { type ActivityEntry, latestActivity, recordActivity } from '../../../db/controls/activity'
import type { pruneActivity } from '../../../workflows'
import { aPartner } from '../../support/db/a-partner'
import { useWorker } from '../../support/temporal/a-worker'

const now = new Date('2026-11-15T03:30:00.000Z')
const retentionDays = 30
const worker = useWorker({ clock: { now: () => now }, activityRetentionDays: retentionDays })
let partnerId: string

beforeEach(async () => {
  partnerId = (await aPartner(worker.db)).id
})

test('entries without a change are deleted after their retention period, and newer entries and all changes remain', async () => {
  await recordActivity(worker.db, [
    entry('old.read', { age: days(31) }),
    entry('oldest.read', { age: days(4000) }),
    entry('just.past', { age: days(30) + 1 }),
    entry('just.within', { age: days(30) }),
    entry('new.read', { age: 0 }),
    entry('old.change', { age: days(31), changes: 'something' }),
    entry('oldest.change', { age: days(4000), changes: 'something' }),
  ])

  const removed = await (await start({ batchSize: 100, batchesPerRun: 10 })).result()

  expect(removed).toBe(3)
  expect(await actionsLeft()).toEqual(['just.within', 'new.read', 'old.change', 'oldest.change'])
})

test('many old entries are deleted in batches, and the workflow continues as new before its history grows long', async () => {
  const old = Array.from({ length: 9 }, (_, index) => entry('old.read', { age: days(31) + index }))
  await recordActivity(worker.db, [...old, entry('new.read', { age: 0 })])

  const handle = await start({ batchSize: 2, batchesPerRun: 2 })
  const removed = await handle.result()

  const firstRun = worker.client.workflow.getHandle(handle.workflowId, handle.firstExecutionRunId)
  expect(removed).toBe(9)
  expect(await actionsLeft()).toEqual(['new.read'])
  expect((await firstRun.describe()).status.name).toBe('CONTINUED_AS_NEW')
  expect((await firstRun.describe()).historyLength).toBeLessThan(25)
})

test('the workflow ends after one batch if there is nothing to delete', async () => {
  await recordActivity(worker.db, [entry('new.read', { age: 0 })])

  const handle = await start({ batchSize: 2, batchesPerRun: 2 })

  expect(await handle.result()).toBe(0)
  expect(await actionsLeft()).toEqual(['new.read'])
})

test('pruning is retried while the database fails', async () => {
  await recordActivity(worker.db, [entry('old.read', { age: days(31) })])
  await worker.db.dataSource.query('ALTER TABLE activity RENAME TO activity_away')

  const handle = await start({ batchSize: 2, batchesPerRun: 2 })
  await until(async () => (await pendingFailures(handle)) > 0)
  await worker.db.dataSource.query('ALTER TABLE activity_away RENAME TO activity')

  expect(await handle.result()).toBe(1)
})

function start(batches: { batchSize: number; batchesPerRun: number }) {
  return worker.client.workflow.start<typeof pruneActivity>('pruneActivity', {
    workflowId: `prune-activity-${randomUUID()}`,
    taskQueue: worker.taskQueue,
    args: [{ ...batches, removed: 0 }],
  })
}

function entry(action: string, options: { age: number; changes?: 'something' | 'nothing' }): ActivityEntry {
  return {
    partnerId,
    at: new Date(now.getTime() - options.age),
    environment: 'sandbox',
    action,
    changes: options.changes ?? 'nothing',
    status: 200,
    madeBy: 'key:kp_sandbox_12345678',
    detail: null,
    requestId: null,
  }
}

function days(count: number): number {
  return count * 24 * 60 * 60 * 1000
}

async function actionsLeft(): Promise<string[]> {
  return (await latestActivity(worker.db, partnerId, 100)).map(({ action }) => action).toSorted()
}

async function pendingFailures(handle: WorkflowHandle): Promise<number> {
  const { raw } = await handle.describe()
  return raw.pendingActivities?.filter(({ lastFailure }) => lastFailure).length ?? 0
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50))
}
