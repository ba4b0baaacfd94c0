// Schedules of every few minutes: wallet reads and notices.
import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { notices, walletReadings } from '../../workflows'
import { housekeepingQueue, noticesId, walletReadingsId } from '../../workflows/names'
import type { OurSchedule } from './schedules'

export function walletReadingsSchedule(everyMs: number): OurSchedule {
  return {
    ...every(everyMs),
    scheduleId: walletReadingsId,
    action: {
      ...startedEvery(everyMs, walletReadingsId),
      workflowType: 'walletReadings',
      args: [{ pageSize: 50, pages: 100 }] satisfies Parameters<typeof walletReadings>,
    },
  }
}

export function noticesSchedule(everyMs: number): OurSchedule {
  return {
    ...every(everyMs),
    scheduleId: noticesId,
    action: {
      ...startedEvery(everyMs, noticesId),
      workflowType: 'notices',
      args: [{ pageSize: 50, pages: 20 }] satisfies Parameters<typeof notices>,
    },
  }
}

/** The next run makes up for a missed one. */
function every(everyMs: number): Pick<OurSchedule, 'spec' | 'policies'> {
  return {
    spec: { intervals: [{ every: everyMs }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  }
}

/** Covers all runs of the workflow: a stuck one must not delay the next for long. */
function startedEvery(everyMs: number, workflowId: string) {
  const workflowExecutionTimeout = Math.max(60_000, 10 * everyMs)
  return { type: 'startWorkflow', workflowId, taskQueue: housekeepingQueue, workflowExecutionTimeout } as const
}
