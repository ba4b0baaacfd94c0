// The daily Schedule that checks the verification of every business.
import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { verifications } from '../../workflows'
import { housekeepingQueue, verificationsId } from '../../workflows/names'
import type { OurSchedule } from './schedules'

export const verificationsSchedule: OurSchedule = {
  scheduleId: verificationsId,
  // Not between 01:00 and 02:00 London time, which is missing in spring and occurs twice in autumn.
  spec: { calendars: [{ hour: 4, comment: 'every night' }], timezone: 'Europe/London' },
  action: {
    type: 'startWorkflow',
    workflowType: 'verifications',
    workflowId: verificationsId,
    taskQueue: housekeepingQueue,
    args: [{ pageSize: 50, pages: 200 }] satisfies Parameters<typeof verifications>,
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 day' },
}
