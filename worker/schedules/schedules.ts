// The Schedules: which workflow runs when, and what happens to a run that was missed.
import {
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import type { Config, SweepConfig } from '../../runtime/config/config'
import type * as workflows from '../../workflows'
import {
  changedTransfersId,
  housekeepingQueue,
  invoiceRunName,
  noticesId,
  ofSystem,
  proofId,
  pruneActivityId,
  retentionId,
  sealAuditId,
  sweepId,
  verificationsId,
  verifyAuditId,
  walletReadingsId,
} from '../../workflows/names'

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
    args: [{ batchSize: 5_000, batchesPerRun: 200, removed: 0 }] satisfies Parameters<typeof workflows.pruneActivity>,
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
    args: [] satisfies Parameters<typeof workflows.invoiceRun>,
  },
  // Missed months are billed one after the other, oldest first. Skipping would omit one, and a later
  // month that ran at the same time as an earlier one would take its charges.
  policies: { overlap: ScheduleOverlapPolicy.BUFFER_ALL, catchupWindow: '365 days' },
}

const changedTransfersSchedule: OurSchedule = {
  scheduleId: changedTransfersId,
  spec: { calendars: [{ hour: 4, minute: 30, comment: 'every night' }], timezone: 'Europe/London' },
  action: {
    type: 'startWorkflow',
    workflowType: 'changedTransfers',
    workflowId: changedTransfersId,
    taskQueue: housekeepingQueue,
    args: [] satisfies Parameters<typeof workflows.changedTransfers>,
  },
  // The next run makes up for a missed one: it starts where the last one ended.
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
}

function sweepSchedule({ everyMs }: SweepConfig): OurSchedule {
  return {
    scheduleId: sweepId,
    spec: { intervals: [{ every: everyMs }] },
    action: {
      type: 'startWorkflow',
      workflowType: 'sweep',
      workflowId: sweepId,
      taskQueue: housekeepingQueue,
      args: [{ pageSize: 50, pages: 100 }] satisfies Parameters<typeof workflows.sweep>,
      // Covers all runs. The next sweep waits for this one, so a hanging one must end. The next one resumes it.
      workflowExecutionTimeout: Math.max(60_000, 10 * everyMs),
    },
    // The next sweep makes up for a missed one.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  }
}

const verificationsSchedule: OurSchedule = {
  scheduleId: verificationsId,
  // Not between 01:00 and 02:00 London time, which is missing in spring and occurs twice in autumn.
  spec: { calendars: [{ hour: 4, comment: 'every night' }], timezone: 'Europe/London' },
  action: {
    type: 'startWorkflow',
    workflowType: 'verifications',
    workflowId: verificationsId,
    taskQueue: housekeepingQueue,
    args: [{ pageSize: 50, pages: 200 }] satisfies Parameters<typeof workflows.verifications>,
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
}

function walletReadingsSchedule(everyMs: number): OurSchedule {
  return {
    ...every(everyMs),
    scheduleId: walletReadingsId,
    action: {
      ...startedEvery(everyMs, walletReadingsId),
      workflowType: 'walletReadings',
      args: [{ pageSize: 50, pages: 100 }] satisfies Parameters<typeof workflows.walletReadings>,
    },
  }
}

function noticesSchedule(everyMs: number): OurSchedule {
  return {
    ...every(everyMs),
    scheduleId: noticesId,
    action: {
      ...startedEvery(everyMs, noticesId),
      workflowType: 'notices',
      args: [{ pageSize: 50, pages: 20 }] satisfies Parameters<typeof workflows.notices>,
    },
  }
}

function proofSchedule(everyMs: number): OurSchedule {
  return {
    ...every(everyMs),
    scheduleId: proofId,
    action: {
      ...startedAs(proofId),
      workflowType: 'proof',
      args: [{ pageSize: 50, pages: 100 }] satisfies Parameters<typeof workflows.proof>,
      // Covers all runs of the workflow: a stuck one must not delay the next for long.
      workflowExecutionTimeout: Math.max(10 * 60_000, 10 * everyMs),
    },
  }
}

function sealAuditSchedule(everyMs: number): OurSchedule {
  return {
    ...every(everyMs),
    scheduleId: sealAuditId,
    action: {
      ...startedAs(sealAuditId),
      workflowType: 'sealAudit',
      args: [{ batchSize: 5_000, batches: 100 }] satisfies Parameters<typeof workflows.sealAudit>,
      workflowExecutionTimeout: Math.max(10 * 60_000, 10 * everyMs),
    },
  }
}

const verifyAuditSchedule: OurSchedule = {
  scheduleId: verifyAuditId,
  spec: { calendars: [{ hour: 5, minute: 15, comment: 'every night' }], timezone: 'Europe/London' },
  action: {
    ...startedAs(verifyAuditId),
    workflowType: 'verifyAudit',
    args: [] satisfies Parameters<typeof workflows.verifyAudit>,
    workflowExecutionTimeout: '23 hours',
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
}

const retentionSchedule: OurSchedule = {
  scheduleId: retentionId,
  // Not between 01:00 and 02:00 London time, which is missing in spring and occurs twice in autumn.
  spec: { calendars: [{ hour: 3, minute: 45, comment: 'every night' }], timezone: 'Europe/London' },
  action: {
    ...startedAs(retentionId),
    workflowType: 'retention',
    args: [{ batchSize: 1_000, batches: 500 }] satisfies Parameters<typeof workflows.retention>,
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
}

/** The next run makes up for a missed one. */
function every(everyMs: number): Pick<OurSchedule, 'spec' | 'policies'> {
  return {
    spec: { intervals: [{ every: everyMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  }
}

function startedAs(workflowId: string) {
  return { type: 'startWorkflow', workflowId, taskQueue: housekeepingQueue } as const
}

/** Covers all runs of the workflow: a stuck one must not delay the next for long. */
function startedEvery(everyMs: number, workflowId: string) {
  const workflowExecutionTimeout = Math.max(60_000, 10 * everyMs)
  return { type: 'startWorkflow', workflowId, taskQueue: housekeepingQueue, workflowExecutionTimeout } as const
}

function renamed(schedule: OurSchedule, prefix: string): OurSchedule {
  const { scheduleId, action } = schedule
  const taskQueue = ofSystem(action.taskQueue, prefix)
  const name = ofSystem(scheduleId, prefix)
  return { ...schedule, scheduleId: name, action: { ...action, taskQueue, workflowId: name } }
}
