// What happens by the clock: each worker makes sure at its start that the Schedules are there, and as this code has them.

import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { deadlineIn } from '../temporal'
import type { pruneActivity } from '../workflows'
import { housekeepingQueue, pruneActivityId } from '../workflows/names'

export type PruneActivitySchedule = ScheduleOptions<ScheduleOptionsStartWorkflowAction<typeof pruneActivity>>

export const pruneActivitySchedule: PruneActivitySchedule = {
  scheduleId: pruneActivityId,
  // Between 01:00 and 02:00 London time an hour is missing in spring and there twice in autumn.
  spec: { calendars: [{ hour: 3, minute: 30, comment: 'every night' }], timezone: 'Europe/London' },
  action: {
    type: 'startWorkflow',
    workflowType: 'pruneActivity',
    workflowId: pruneActivityId,
    taskQueue: housekeepingQueue,
    args: [{ batchSize: 5_000, batchesPerRun: 200, removed: 0 }],
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
}

/** Any number of workers may do this at once. What ops changed by hand, such as a pause, stays. */
export async function putSchedule(client: Client, schedule: PruneActivitySchedule): Promise<void> {
  await client.withDeadline(deadlineIn(10_000), () => createOrUpdate(client, schedule))
}

async function createOrUpdate(client: Client, { scheduleId, ...schedule }: PruneActivitySchedule): Promise<void> {
  try {
    await client.schedule.create({ scheduleId, ...schedule })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...schedule, state }))
  }
}
