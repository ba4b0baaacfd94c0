// The Schedules: when each workflow runs, and how missed runs are handled.
import {
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import type { Config, SweepConfig } from '../../runtime/config/config'
import type * as workflows from '../../workflows'
import { housekeepingQueue, ofSystem, scheduleIds } from '../../workflows/names'

export type OurSchedule = ScheduleOptions<ScheduleOptionsStartWorkflowAction<Workflow>>

type ScheduleConfig = Pick<
  Config,
  'taskQueuePrefix' | 'sweep' | 'walletReadEveryMs' | 'noticesEveryMs' | 'proof' | 'auditSealEveryMs'
>

/** All Schedules, with this system's prefix. */
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

export const pruneActivitySchedule = nightly(
  { hour: 3, minute: 30 },
  startOf('pruneActivity', { batchSize: 5_000, batchesPerRun: 200, removed: 0 }),
)

export const invoiceRunSchedule: OurSchedule = {
  scheduleId: scheduleIds.invoiceRun,
  // Runs a few hours after the end of the month, so that payouts completed in its last minutes have been charged.
  spec: { calendars: [{ dayOfMonth: 1, hour: 6, comment: 'the 1st of each month' }], timezone: 'Europe/London' },
  action: startOf('invoiceRun'),
  // Missed months are billed one after the other, oldest first. Skipping would leave a month unbilled. If two months
  // ran at the same time, the later run would bill the earlier month's charges.
  policies: { overlap: ScheduleOverlapPolicy.BUFFER_ALL, catchupWindow: '365 days' },
}

/** The next run covers a missed one, because it starts where the last one ended. */
const changedTransfersSchedule = nightly({ hour: 4, minute: 30 }, startOf('changedTransfers'))

const verificationsSchedule = nightly({ hour: 4 }, startOf('verifications', { pageSize: 50, pages: 200 }))

function sweepSchedule({ everyMs }: SweepConfig): OurSchedule {
  return {
    scheduleId: scheduleIds.sweep,
    spec: { intervals: [{ every: everyMs }] },
    // The next sweep resumes a sweep that timed out.
    action: { ...startOf('sweep', { pageSize: 50, pages: 100 }), ...endedAfter(60_000, everyMs) },
    // The next sweep covers a missed one.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  }
}

function walletReadingsSchedule(everyMs: number): OurSchedule {
  const calls = calling('walletReadings', { pageSize: 50, pages: 100 })
  return repeated(everyMs, { ...queued('walletReadings'), ...endedAfter(60_000, everyMs), ...calls })
}

function noticesSchedule(everyMs: number): OurSchedule {
  const calls = calling('notices', { pageSize: 50, pages: 20 })
  return repeated(everyMs, { ...queued('notices'), ...endedAfter(60_000, everyMs), ...calls })
}

function proofSchedule(everyMs: number): OurSchedule {
  const calls = calling('proof', { pageSize: 50, pages: 100 })
  return repeated(everyMs, { ...queued('proof'), ...calls, ...endedAfter(600_000, everyMs) })
}

function sealAuditSchedule(everyMs: number): OurSchedule {
  const calls = calling('sealAudit', { batchSize: 5_000, batches: 100 })
  return repeated(everyMs, { ...queued('sealAudit'), ...calls, ...endedAfter(600_000, everyMs) })
}

const verifyAuditSchedule = nightly(
  { hour: 5, minute: 15 },
  { ...queued('verifyAudit'), ...calling('verifyAudit'), workflowExecutionTimeout: '23 hours' },
)

const retentionSchedule = nightly(
  { hour: 3, minute: 45 },
  { ...queued('retention'), ...calling('retention', { batchSize: 1_000, batches: 500 }) },
)

type Start = OurSchedule['action'] & { readonly workflowId: string }

/** Uses London time. Callers avoid 01:00 to 02:00, which is missing in spring and occurs twice in autumn. */
function nightly(at: { readonly hour: number; readonly minute?: number }, action: Start): OurSchedule {
  return {
    scheduleId: action.workflowId,
    spec: { calendars: [{ ...at, comment: 'every night' }], timezone: 'Europe/London' },
    action,
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
  }
}

/** The next run covers a missed one. */
function repeated(everyMs: number, action: Start): OurSchedule {
  return {
    spec: { intervals: [{ every: everyMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    scheduleId: action.workflowId,
    action,
  }
}

// The order of a Schedule's fields is part of its fingerprint in put.ts. If the order changes, the worker updates the
// Schedule, which discards missed runs.

function startOf<Name extends WorkflowName>(name: Name, ...args: ArgsOf<Name>) {
  const workflowId = scheduleIds[name]
  return { type: 'startWorkflow', workflowType: name, workflowId, taskQueue: housekeepingQueue, args } as const
}

function queued(name: WorkflowName) {
  return { type: 'startWorkflow', workflowId: scheduleIds[name], taskQueue: housekeepingQueue } as const
}

function calling<Name extends WorkflowName>(name: Name, ...args: ArgsOf<Name>) {
  return { workflowType: name, args }
}

/**
 * The timeout covers all continued runs. The Schedule skips starts while a workflow runs, so a stuck workflow must
 * time out.
 */
function endedAfter(leastMs: number, everyMs: number) {
  return { workflowExecutionTimeout: Math.max(leastMs, 10 * everyMs) }
}

type WorkflowName = keyof typeof scheduleIds
type ArgsOf<Name extends WorkflowName> = Parameters<(typeof workflows)[Name]>

function renamed(schedule: OurSchedule, prefix: string): OurSchedule {
  const { scheduleId, action } = schedule
  const taskQueue = ofSystem(action.taskQueue, prefix)
  const name = ofSystem(scheduleId, prefix)
  return { ...schedule, scheduleId: name, action: { ...action, taskQueue, workflowId: name } }
}
