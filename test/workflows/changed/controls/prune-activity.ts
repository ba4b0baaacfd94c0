// The workflow as a careless change would leave it: one more activity in front, which no recorded history knows of.

import { proxyActivities } from '@temporalio/workflow'
import type { PruneActivityActivities, Pruning } from '../../../../workflows/controls/prune-activity'

const activities = proxyActivities<PruneActivityActivities>({ startToCloseTimeout: '1 minute' })

export async function pruneActivity({ batchSize, removed = 0 }: Pruning): Promise<number> {
  await activities.pruneActivity({ limit: 1 })
  return removed + (await activities.pruneActivity({ limit: batchSize }))
}
