// The workflow after a careless change: it begins with another activity.
import { proxyActivities } from '@temporalio/workflow'
import type { SweepActivities, Swept } from '../../../../workflows/controls/sweep'
import { sweep as original, type SweepOrder } from '../../../../workflows/controls/sweep'

const { reportOverdue } = proxyActivities<SweepActivities>({ startToCloseTimeout: '1 minute' })

export async function sweep(from: SweepOrder): Promise<Swept> {
  await reportOverdue({ after: null, limit: from.pageSize })
  return original(from)
}
