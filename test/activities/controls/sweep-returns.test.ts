// How the sweep handles returned payouts, which have their own workflow, and a backlog that one sweep cannot
// finish.
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { WorkflowNotFoundError } from '@temporalio/client'
import { saveSweepPosition } from '../../../db/controls/sweep-positions'
import type { StoredPayout } from '../../../db/payouts/payout'
import { systemClock } from '../../../runtime/clock'
import { requireSearchAttributes, wantedAttributes } from '../../../worker/temporal/search-attributes'
import { payoutReturnId, payoutWorkflowId } from '../../../workflows/names'
import { aPayout } from '../../support/db/a-payout'
import { keptLog } from '../../support/kept-logs'
import { useSweeps } from '../../support/stages/sweeps'
import { testActivities, useWorker } from '../../support/temporal/a-worker'

const worker = useWorker({ clock: systemClock })
const { aSweep, stepsOfLastSweep } = useSweeps(worker)

beforeAll(async () => {
  await requireSearchAttributes(worker.client, wantedAttributes)
})
afterEach(() => worker.db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE closed_at IS NULL'))

test('a returned payout is handled by its return workflow only', async () => {
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

test('a returned payout whose refund is overdue is reported', async () => {
  const row = await aReturned(hoursAgo(3))

  expect(await aSweep()).toMatchObject({ overdue: 1 })

  const [{ attention }] = await worker.db.dataSource.query('SELECT attention FROM payouts WHERE id = $1', [row.id])
  expect(attention).toBe('settlement_overdue')
  await returnOf(row).terminate()
})

test('a backlog of payouts does not delay the report of overdue payouts', async () => {
  const rows: StoredPayout[] = []
  for (let n = 0; n < 6; n++) rows.push(await aReturned(hoursAgo(3 + n)))

  expect(await aSweep({ pageSize: 1, pages: 100 })).toMatchObject({ looked: 6, overdue: 6 })

  const steps = await stepsOfLastSweep()
  expect(steps.filter((step) => step === 'sweepPayouts').length).toBeGreaterThan(5)
  expect(steps.indexOf('reportOverdue')).toBeLessThan(4)
  for (const row of rows) await returnOf(row).terminate()
})

test('the next sweep continues an interrupted one, and then runs the later stages', async () => {
  const rows = [await aReturned(hoursAgo(1)), await aReturned(hoursAgo(0.5)), await aReturned(hoursAgo(0.2))]
  const { activities, close } = testActivities({ ...worker, clock: systemClock, log: keptLog() })

  const first = await activities.sweepPayouts({ after: null, limit: 2 })
  close()
  const [next, after] = [await aSweep(), await aSweep()]

  expect([first, next, after]).toMatchObject([{ looked: 2 }, { looked: 1, started: 1 }, { looked: rows.length }])
  expect(await stepsOfLastSweep()).toContain('reportOverdue')
  for (const row of rows) await returnOf(row).terminate()
})

test('an invalid saved position does not make the sweep fail', async () => {
  await saveSweepPosition(worker.db, 'strays', 'bm90IGEgdG9rZW4=')

  expect(await aSweep()).toMatchObject({ failed: 0 })
})

/** A returned payout that completed two days ago. No worker polls its queue, so its workflow makes no progress. */
function aReturned(returnedAt: Date): Promise<StoredPayout> {
  const arrived = { createdAt: hoursAgo(51), completedAt: hoursAgo(50), transferRef: `tr-${returnedAt.getTime()}` }
  return aPayout(worker.db, { status: 'returned', returnedAt, ...arrived })
}

function returnOf({ id }: StoredPayout) {
  return worker.client.workflow.getHandle(payoutReturnId(id))
}

function hoursAgo(hours: number): Date {
  return new Date(systemClock.now().getTime() - hours * 3_600_000)
}
