// The workflow as a careless change would leave it: it begins with another step.
import { proxyActivities } from '@temporalio/workflow'
import type { SweepActivities, Swept } from '../../../../workflows/controls/sweep'
import { sweep as original, type Sweep } from '../../../../workflows/controls/sweep'

const { reportOverdue } = proxyActivities<SweepActivities>({ startToCloseTimeout: '1 minute' })

export async function sweep(from: Sweep): Promise<Swept> {
  await reportOverdue({ after: null, limit: from.pageSize })
  return original(from)
}
