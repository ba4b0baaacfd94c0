// What happens by the clock: each worker makes sure at its start that the Schedules are there, and as this code has them.

import { createHash } from 'node:crypto'
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import type { Config, SweepConfig } from '../../runtime/config/config'
import { deadlineIn } from '../../runtime/temporal/client'
import type { changedTransfers, invoiceRun, pruneActivity, sweep } from '../../workflows'
import {
  changedTransfersId,
  housekeepingQueue,
  invoiceRunName,
  ofSystem,
  pruneActivityId,
  sweepId,
} from '../../workflows/names'
import { proofSchedule, retentionSchedule, sealAuditSchedule, verifyAuditSchedule } from './controls'
import { noticesSchedule, walletReadingsSchedule } from './frequent'
import { verificationsSchedule } from './verifications'

export type OurSchedule = ScheduleOptions<ScheduleOptionsStartWorkflowAction<Workflow>>

type ScheduleConfig = Pick<
  Config,
  'taskQueuePrefix' | 'sweep' | 'walletReadEveryMs' | 'noticesEveryMs' | 'proof' | 'auditSealEveryMs'
>

/** All of them, under the names of the system they belong to. */
export function schedulesOf(config: ScheduleConfig): OurSchedule[] {
  const all = [
    pruneActivitySchedule,
    invoiceRunSchedule,
    changedTransfersSchedule,
    verificationsSchedule,
    sweepSchedule(config.sweep),
    walletReadingsSchedule(config.walletReadEveryMs),
    noticesSchedule(config.noticesEveryMs),
    proofSchedule(config.proof.everyMs),
    sealAuditSchedule(config.auditSealEveryMs),
    verifyAuditSchedule,
    retentionSchedule,
  ]
  return all.map((schedule) => renamed(schedule, config.taskQueuePrefix))
}

export const pruneActivitySchedule: OurSchedule = {
  scheduleId: pruneActivityId,
  // Between 01:00 and 02:00 London time an hour is missing in spring and there twice in autumn.
  spec: { calendars: [{ hour: 3, minute: 30, comment: 'every night' }], timezone: 'Europe/London' },
  action: {
    type: 'startWorkflow',
    workflowType: 'pruneActivity',
    workflowId: pruneActivityId,
    taskQueue: housekeepingQueue,
    args: [{ batchSize: 5_000, batchesPerRun: 200, removed: 0 }] satisfies Parameters<typeof pruneActivity>,
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
}

export const invoiceRunSchedule: OurSchedule = {
  scheduleId: invoiceRunName,
  // Hours after the month's end, when what the bank completed in its last minutes has long been charged.
  spec: { calendars: [{ dayOfMonth: 1, hour: 6, comment: 'the 1st of each month' }], timezone: 'Europe/London' },
  action: {
    type: 'startWorkflow',
    workflowType: 'invoiceRun',
    workflowId: invoiceRunName,
    taskQueue: housekeepingQueue,
    args: [] satisfies Parameters<typeof invoiceRun>,
  },
  // Months that were missed are all billed, one after the other and oldest first: to skip would leave one out, and a later
  // month that ran beside an earlier one would take its charges.
  policies: { overlap: ScheduleOverlapPolicy.BUFFER_ALL, catchupWindow: '365 days' },
}

export const changedTransfersSchedule: OurSchedule = {
  scheduleId: changedTransfersId,
  spec: { calendars: [{ hour: 4, minute: 30, comment: 'every night' }], timezone: 'Europe/London' },
  action: {
    type: 'startWorkflow',
    workflowType: 'changedTransfers',
    workflowId: changedTransfersId,
    taskQueue: housekeepingQueue,
    args: [] satisfies Parameters<typeof changedTransfers>,
  },
  // A look that was missed is made good by the next one, which begins where the last has ended.
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
}

export function sweepSchedule({ everyMs }: SweepConfig): OurSchedule {
  return {
    scheduleId: sweepId,
    spec: { intervals: [{ every: everyMs }] },
    action: {
      type: 'startWorkflow',
      workflowType: 'sweep',
      workflowId: sweepId,
      taskQueue: housekeepingQueue,
      args: [{ pageSize: 50, pages: 100 }] satisfies Parameters<typeof sweep>,
      // Over all its runs. The next sweep waits for this one, so one that hangs must end. The next one continues where it stopped.
      workflowExecutionTimeout: Math.max(60_000, 10 * everyMs),
    },
    // A sweep that was missed is made good by the next one.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  }
}

function renamed(schedule: OurSchedule, prefix: string): OurSchedule {
  const { scheduleId, action } = schedule
  const taskQueue = ofSystem(action.taskQueue, prefix)
  const name = ofSystem(scheduleId, prefix)
  return { ...schedule, scheduleId: name, action: { ...action, taskQueue, workflowId: name } }
}

/**
 * Any number of workers may do this at once. What ops changed by hand, such as a pause, stays. One that is as this code has it is
 * left alone: after an update the server forgets the times that it has missed, and those are what it has to catch up with.
 */
export async function putSchedule(client: Client, schedule: OurSchedule): Promise<void> {
  await client.withDeadline(deadlineIn(10_000), () => createOrUpdate(client, marked(schedule)))
}

async function createOrUpdate(client: Client, { scheduleId, ...schedule }: OurSchedule): Promise<void> {
  try {
    await client.schedule.create({ scheduleId, ...schedule })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    const handle = client.schedule.getHandle(scheduleId)
    const { action } = await handle.describe()
    if (action.memo?.[madeFrom] === schedule.action.memo?.[madeFrom]) return
    await handle.update(({ state }) => ({ ...schedule, state }))
  }
}

const madeFrom = 'schedule_made_from'

/** Its own fingerprint travels in the memo of what it starts. */
function marked(schedule: OurSchedule): OurSchedule {
  const fingerprint = createHash('sha256').update(JSON.stringify(schedule)).digest('hex').slice(0, 16)
  return { ...schedule, action: { ...schedule.action, memo: { [madeFrom]: fingerprint } } }
}
