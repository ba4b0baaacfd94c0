// Schedules of the controls: reconciliation, audit chain and retention.
import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { proof, retention, sealAudit, verifyAudit } from '../../workflows'
import { housekeepingQueue, proofId, retentionId, sealAuditId, verifyAuditId } from '../../workflows/names'
import type { OurSchedule } from './schedules'

export function proofSchedule(everyMs: number): OurSchedule {
  return {
    ...every(everyMs),
    scheduleId: proofId,
    action: {
      ...startedAs(proofId),
      workflowType: 'proof',
      args: [{ pageSize: 50, pages: 100 }] satisfies Parameters<typeof proof>,
      // Covers all runs of the workflow: a stuck one must not delay the next for long.
      workflowExecutionTimeout: Math.max(10 * 60_000, 10 * everyMs),
    },
  }
}

export function sealAuditSchedule(everyMs: number): OurSchedule {
  return {
    ...every(everyMs),
    scheduleId: sealAuditId,
    action: {
      ...startedAs(sealAuditId),
      workflowType: 'sealAudit',
      args: [{ batchSize: 5_000, batches: 100 }] satisfies Parameters<typeof sealAudit>,
      workflowExecutionTimeout: Math.max(10 * 60_000, 10 * everyMs),
    },
  }
}

export const verifyAuditSchedule: OurSchedule = {
  scheduleId: verifyAuditId,
  spec: { calendars: [{ hour: 5, minute: 15, comment: 'every night' }], timezone: 'Europe/London' },
  action: {
    ...startedAs(verifyAuditId),
    workflowType: 'verifyAudit',
    args: [] satisfies Parameters<typeof verifyAudit>,
    workflowExecutionTimeout: '23 hours',
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
}

export const retentionSchedule: OurSchedule = {
  scheduleId: retentionId,
  // Not between 01:00 and 02:00 London time, which is missing in spring and occurs twice in autumn.
  spec: { calendars: [{ hour: 3, minute: 45, comment: 'every night' }], timezone: 'Europe/London' },
  action: {
    ...startedAs(retentionId),
    workflowType: 'retention',
    args: [{ batchSize: 1_000, batches: 500 }] satisfies Parameters<typeof retention>,
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
