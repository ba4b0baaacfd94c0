// The monthly Schedule runs in the London morning, in winter and in summer, catches up on every missed month, and
// bills the month before its nominal time.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { msToTs, tsToMs } from '@temporalio/common/lib/time'
import { addChargedPartners } from '../../../bench/charged-partners'
import { putSchedule } from '../../../worker/schedules/put'
import { invoiceRunSchedule, type OurSchedule } from '../../../worker/schedules/schedules'
import type { InvoiceRunResult } from '../../../workflows/invoices/run'
import { type AWorker, aWorker, silenceTemporal } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

const put: OurSchedule[] = []
let worker: AWorker

silenceTemporal()

beforeAll(async () => {
  worker = await aWorker({ clock: { now: () => new Date('2027-06-15T12:00:00.000Z') } })
})
afterAll(async () => {
  for (const { scheduleId } of put) await handleOf(scheduleId).delete()
  await worker.stop()
  await worker.dispose()
})

test('the invoice run starts on the 1st at 06:00 in London, in winter and in summer', async () => {
  const { scheduleId } = await aSchedule()

  const { startTime } = await worker.client.workflowService.listScheduleMatchingTimes({
    namespace: 'default',
    scheduleId,
    startTime: msToTs(Date.parse('2027-02-15T00:00:00Z')),
    endTime: msToTs(Date.parse('2027-12-15T00:00:00Z')),
  })

  expect(startTime.map((time) => new Date(tsToMs(time)).toISOString())).toEqual([
    '2027-03-01T06:00:00.000Z',
    '2027-04-01T05:00:00.000Z',
    '2027-05-01T05:00:00.000Z',
    '2027-06-01T05:00:00.000Z',
    '2027-07-01T05:00:00.000Z',
    '2027-08-01T05:00:00.000Z',
    '2027-09-01T05:00:00.000Z',
    '2027-10-01T05:00:00.000Z',
    '2027-11-01T06:00:00.000Z',
    '2027-12-01T06:00:00.000Z',
  ])
})

test('the Schedule is set to catch up on a year of missed months and to skip none', async () => {
  const { scheduleId } = await aSchedule()

  const { policies } = await handleOf(scheduleId).describe()

  expect(policies).toMatchObject({ overlap: 'BUFFER_ALL', catchupWindow: 365 * 86_400_000 })
})

test('a worker that starts leaves an up-to-date Schedule unchanged, and updates an outdated one', async () => {
  const schedule = await aSchedule()
  const before = await handleOf(schedule.scheduleId).describe()

  await putSchedule(worker.client, schedule)
  const after = await handleOf(schedule.scheduleId).describe()
  await putSchedule(worker.client, { ...schedule, policies: { ...schedule.policies, catchupWindow: '10 days' } })
  const changed = await handleOf(schedule.scheduleId).describe()

  expect(before.info.lastUpdatedAt).toBeUndefined()
  expect(after.info.lastUpdatedAt).toBeUndefined()
  expect(changed.policies.catchupWindow).toBe(10 * 86_400_000)
})

test('a backfill of three months bills them in order of their nominal times, each with its own charges', async () => {
  const { scheduleId } = await aSchedule()
  for (const month of ['2027-03', '2027-04', '2027-05']) {
    const name = `of-${month}`
    await addChargedPartners(worker.db.dataSource, { partners: 1, chargesEach: 2, month, name })
  }

  const [start, end] = [new Date('2027-03-15T00:00:00Z'), new Date('2027-06-02T00:00:00Z')]
  await handleOf(scheduleId).backfill({ start, end, overlap: 'BUFFER_ALL' })
  const runs = await until('three runs have ended', async () => {
    const { recentActions } = (await handleOf(scheduleId).describe()).info
    return recentActions.length === 3 ? recentActions : null
  })
  const results = await Promise.all(
    runs.map(({ action }) => worker.client.workflow.getHandle(action.workflow.workflowId).result()),
  )

  expect(results.map((result: InvoiceRunResult) => [result.period, result.issued])).toEqual([
    ['2027-03', 1],
    // Partners from earlier months get another invoice, because the account fee is due every month.
    ['2027-04', 2],
    ['2027-05', 3],
  ])
  expect(await firstInvoices()).toEqual([
    { slug: 'of-2027-03-1', period: '2027-03' },
    { slug: 'of-2027-04-1', period: '2027-04' },
    { slug: 'of-2027-05-1', period: '2027-05' },
  ])
})

/** The real Schedule under another name, because test files share one server. */
async function aSchedule(): Promise<OurSchedule> {
  const scheduleId = `invoice-run-${randomBytes(6).toString('hex')}`
  const { action } = invoiceRunSchedule
  const { taskQueue } = worker
  const schedule = { ...invoiceRunSchedule, scheduleId, action: { ...action, taskQueue, workflowId: scheduleId } }
  put.push(schedule)
  await putSchedule(worker.client, schedule)
  return schedule
}

function handleOf(scheduleId: string) {
  return worker.client.schedule.getHandle(scheduleId)
}

async function firstInvoices(): Promise<unknown> {
  return worker.db.dataSource.query(
    `SELECT slug, to_char(min(period), 'YYYY-MM') AS period FROM invoices JOIN partners ON partners.id = partner_id
      GROUP BY slug ORDER BY slug`,
  )
}
