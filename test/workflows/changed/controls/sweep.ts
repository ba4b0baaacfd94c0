// The workflow as a careless change would leave it: it begins with another step.
import * as activities from '../../../../workflows/activities'
import { sweep as original, type Sweep } from '../../../../workflows/controls/sweep'
import type { Swept } from '../../../../workflows/controls/sweep-steps'

export async function sweep(from: Sweep): Promise<Swept> {
  await activities.reportOverdue({ after: null, limit: from.pageSize })
  return original(from)
}
