// The workflow after a careless change: it runs its activity once more, at the beginning.

import { proxyActivities } from '@temporalio/workflow'
import type { PruneActivityActivities, Pruning } from '../../../../workflows/controls/retention'

const activities = proxyActivities<PruneActivityActivities>({ startToCloseTimeout: '1 minute' })

export async function pruneActivity({ batchSize, removed = 0 }: Pruning): Promise<number> {
  await activities.pruneActivity({ limit: 1 })
  return removed + (await activities.pruneActivity({ limit: batchSize }))
}
