// What happens by the clock: each worker makes sure at its start that the Schedules are there, and as this code has them.

import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import type { Workflow } from '@temporalio/common'
import type { Config, SweepConfig } from '../config'
import { deadlineIn } from '../temporal'
import type { pruneActivity, sweep } from '../workflows'
import { housekeepingQueue, ofSystem, pruneActivityId, sweepId } from '../workflows/names'

export type OurSchedule = ScheduleOptions<ScheduleOptionsStartWorkflowAction<Workflow>>

/** All of them, under the names of the system they belong to. */
export function schedulesOf({ taskQueuePrefix, sweep }: Pick<Config, 'taskQueuePrefix' | 'sweep'>): OurSchedule[] {
  return [pruneActivitySchedule, sweepSchedule(sweep)].map((schedule) => renamed(schedule, taskQueuePrefix))
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
      // Over all its runs. However long it takes, the next one waits for it; one that hangs must not hold them up for ever.
      workflowExecutionTimeout: '15 minutes',
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

/** Any number of workers may do this at once. What ops changed by hand, such as a pause, stays. */
export async function putSchedule(client: Client, schedule: OurSchedule): Promise<void> {
  await client.withDeadline(deadlineIn(10_000), () => createOrUpdate(client, schedule))
}

async function createOrUpdate(client: Client, { scheduleId, ...schedule }: OurSchedule): Promise<void> {
  try {
    await client.schedule.create({ scheduleId, ...schedule })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...schedule, state }))
  }
}
