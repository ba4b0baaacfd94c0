// The Schedules, tested with the nightly pruning. Each exists once, as defined in the code, whichever worker
// starts first.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ScheduleDescription } from '@temporalio/client'
import { msToTs, tsToMs } from '@temporalio/common/lib/time'
import { latestActivity, recordActivity } from '../../../db/controls/activity'
import { putSchedule } from '../../../worker/schedules/put'
import { type OurSchedule, pruneActivitySchedule, schedulesOf } from '../../../worker/schedules/schedules'
import { aPartner } from '../../support/db/a-partner'
import { type AWorker, aWorker, silenceTemporal, testConfig } from '../../support/temporal/a-worker'

const now = new Date('2026-11-15T03:30:00.000Z')
const put: OurSchedule[] = []
let worker: AWorker

silenceTemporal()

beforeAll(async () => {
  worker = await aWorker({ clock: { now: () => now }, activityRetentionDays: 400 })
})

afterAll(async () => {
  for (const { scheduleId } of put) await worker.client.schedule.getHandle(scheduleId).delete()
  await worker.stop()
  await worker.dispose()
})

test('many workers that start concurrently create one Schedule', async () => {
  const schedule = aSchedule()

  await Promise.all(Array.from({ length: 10 }, () => putSchedule(worker.client, schedule)))

  const { state, policies, action } = await describe(schedule)
  expect(state.paused).toBe(false)
  expect(policies.overlap).toBe('SKIP')
  expect(action).toMatchObject({ workflowType: 'pruneActivity', taskQueue: worker.taskQueue })
})

test('a worker with newer code updates the existing Schedule, and a Schedule paused by operators stays paused', async () => {
  const schedule = aSchedule()
  await putSchedule(worker.client, schedule)
  const before = await describe(schedule)
  await worker.client.schedule.getHandle(schedule.scheduleId).pause('looking into it')

  await putSchedule(worker.client, { ...schedule, spec: { calendars: [{ hour: 5, minute: 45 }], timezone: 'UTC' } })

  const after = await describe(schedule)
  expect(after.info.createdAt).toEqual(before.info.createdAt)
  expect(after.spec.calendars).toMatchObject([{ hour: [{ start: 5 }], minute: [{ start: 45 }] }])
  expect(after.state).toMatchObject({ paused: true, note: 'looking into it' })
})

test('pruning runs at 03:30 London time, in winter and in summer', async () => {
  const schedule = aSchedule()
  await putSchedule(worker.client, schedule)

  const { startTime } = await worker.client.workflowService.listScheduleMatchingTimes({
    namespace: 'default',
    scheduleId: schedule.scheduleId,
    startTime: msToTs(Date.parse('2027-03-26T00:00:00Z')),
    endTime: msToTs(Date.parse('2027-03-29T23:59:59Z')),
  })

  expect(startTime.map((time) => new Date(tsToMs(time)).toISOString())).toEqual([
    '2027-03-26T03:30:00.000Z',
    '2027-03-27T03:30:00.000Z',
    '2027-03-28T02:30:00.000Z',
    '2027-03-29T02:30:00.000Z',
  ])
})

test('a pruning that the Schedule starts deletes rows past their retention period', async () => {
  const schedule = aSchedule()
  const { id: partnerId } = await aPartner(worker.db)
  await recordActivity(worker.db, [
    aRead(partnerId, new Date('2025-10-01T00:00:00Z')),
    aRead(partnerId, new Date('2026-10-01T00:00:00Z')),
  ])
  await putSchedule(worker.client, schedule)

  await worker.client.schedule.getHandle(schedule.scheduleId).trigger()
  const removed = await worker.client.workflow.getHandle(await startedBy(schedule)).result()

  expect(removed).toBe(1)
  expect(await latestActivity(worker.db, partnerId, 10)).toMatchObject([{ at: new Date('2026-10-01T00:00:00Z') }])
})

test('runs of a Schedule never overlap: an overlapping invoice run waits, and any other is skipped', async () => {
  const { sweep } = testConfig()
  const overlaps: string[] = []
  for (const schedule of schedulesOf({ ...testConfig(), taskQueuePrefix: worker.queuePrefix, sweep })) {
    put.push(schedule)
    await putSchedule(worker.client, { ...schedule, state: { paused: true } })

    overlaps.push(`${String(schedule.action.workflowType)} ${(await describe(schedule)).policies.overlap}`)
  }

  expect(overlaps.toSorted()).toEqual([
    'changedTransfers SKIP',
    'invoiceRun BUFFER_ALL',
    'notices SKIP',
    'proof SKIP',
    'pruneActivity SKIP',
    'retention SKIP',
    'sealAudit SKIP',
    'sweep SKIP',
    'verifications SKIP',
    'verifyAudit SKIP',
    'walletReadings SKIP',
  ])
})

/** The real Schedule under another name, because test files share one server. */
function aSchedule(): OurSchedule {
  const scheduleId = `prune-activity-${randomBytes(6).toString('hex')}`
  const { action } = pruneActivitySchedule
  const schedule = {
    ...pruneActivitySchedule,
    scheduleId,
    action: { ...action, taskQueue: worker.taskQueue, workflowId: scheduleId },
  }
  put.push(schedule)
  return schedule
}

function aRead(partnerId: string, at: Date) {
  const rest = { status: 200, madeBy: 'key:kp_sandbox_12345678', detail: null, requestId: null }
  return { partnerId, at, environment: 'sandbox', action: 'balance.read', changes: 'nothing', ...rest } as const
}

function describe({ scheduleId }: OurSchedule): Promise<ScheduleDescription> {
  return worker.client.schedule.getHandle(scheduleId).describe()
}

async function startedBy(schedule: OurSchedule): Promise<string> {
  for (;;) {
    const [started] = (await describe(schedule)).info.recentActions
    if (started) return started.action.workflow.workflowId
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
