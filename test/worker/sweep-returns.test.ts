// The sweep, for payouts that had arrived and come back: the workflow of the return looks after them, and they are not old yet.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { WorkflowNotFoundError } from '@temporalio/client'
import { systemClock } from '../../clock'
import type { StoredPayout } from '../../db/entities/payout'
import { requireSearchAttributes, wantedAttributes } from '../../worker/search-attributes'
import type { sweep } from '../../workflows'
import { payoutReturnId, payoutWorkflowId } from '../../workflows/names'
import { aPayout } from '../db/a-payout'
import { type AWorker, aWorker, silenceTemporal } from './a-worker'

let worker: AWorker
let sweeps = 0

silenceTemporal()

beforeAll(async () => {
  worker = await aWorker({ clock: systemClock })
  await requireSearchAttributes(worker.client, wantedAttributes)
})
afterEach(() => worker.db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE closed_at IS NULL'))
afterAll(async () => {
  await worker.stop()
  await worker.dispose()
})

test('one that comes back is looked after by the workflow of its return, and by no other', async () => {
  const row = await aReturned(hoursAgo(1))

  expect(await aSweep()).toMatchObject({ looked: 1, started: 1, overdue: 0 })
  expect(await aSweep()).toMatchObject({ looked: 1, started: 0 })
  expect((await returnOf(row).describe()).type).toBe('payoutReturn')
  await expect(worker.client.workflow.getHandle(payoutWorkflowId(row)).describe()).rejects.toThrow(
    WorkflowNotFoundError,
  )

  await returnOf(row).terminate()
  expect(await aSweep()).toMatchObject({ looked: 1, started: 1 })
  await returnOf(row).terminate()
})

test('one whose refund is awaited for too long since its return is told', async () => {
  const row = await aReturned(hoursAgo(3))

  expect(await aSweep()).toMatchObject({ overdue: 1 })

  const [{ attention }] = await worker.db.dataSource.query('SELECT attention FROM payouts WHERE id = $1', [row.id])
  expect(attention).toBe('settlement_overdue')
  await returnOf(row).terminate()
})

/** Completed two days ago. Nobody works on its queue, so its workflow stays as it was started. */
function aReturned(returnedAt: Date): Promise<StoredPayout> {
  const arrived = { createdAt: hoursAgo(51), completedAt: hoursAgo(50), transferRef: `tr-${returnedAt.getTime()}` }
  return aPayout(worker.db, { status: 'returned', returnedAt, ...arrived })
}

function aSweep() {
  sweeps += 1
  return worker.client.workflow.execute<typeof sweep>('sweep', {
    workflowId: `${worker.queuePrefix}-sweep-${sweeps}`,
    taskQueue: worker.taskQueue,
    args: [{ pageSize: 100, pages: 10 }],
  })
}

function returnOf({ id }: StoredPayout) {
  return worker.client.workflow.getHandle(payoutReturnId(id))
}

function hoursAgo(hours: number): Date {
  return new Date(systemClock.now().getTime() - hours * 3_600_000)
}
