// The Schedules. Each worker makes sure at its start that they exist and match this code.

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

/** All Schedules, with the prefix of this system. */
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
  // Not between 01:00 and 02:00 London time, which is missing in spring and occurs twice in autumn.
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
  // Hours after the end of the month, when payouts completed in its last minutes have been charged.
  spec: { calendars: [{ dayOfMonth: 1, hour: 6, comment: 'the 1st of each month' }], timezone: 'Europe/London' },
  action: {
    type: 'startWorkflow',
    workflowType: 'invoiceRun',
    workflowId: invoiceRunName,
    taskQueue: housekeepingQueue,
    args: [] satisfies Parameters<typeof invoiceRun>,
  },
  // Missed months are billed one after the other, oldest first. Skipping would omit one, and a later
  // month that ran at the same time as an earlier one would take its charges.
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
  // The next run makes up for a missed one: it starts where the last one ended.
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
      // Covers all runs. The next sweep waits for this one, so a hanging one must end. The next one resumes it.
      workflowExecutionTimeout: Math.max(60_000, 10 * everyMs),
    },
    // The next sweep makes up for a missed one.
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
 * Safe to run in any number of workers at once. Manual changes such as a pause stay. A Schedule that matches this code is
 * not updated: an update makes the server forget missed runs that it has to catch up with.
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

/** The fingerprint is stored in the memo of the workflows it starts. */
function marked(schedule: OurSchedule): OurSchedule {
  const fingerprint = createHash('sha256').update(JSON.stringify(schedule)).digest('hex').slice(0, 16)
  return { ...schedule, action: { ...schedule.action, memo: { [madeFrom]: fingerprint } } }
}
