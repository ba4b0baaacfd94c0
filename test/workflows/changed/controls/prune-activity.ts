// The workflow as a careless change would leave it: one more activity in front, which no recorded history knows of.

import * as activities from '../../../../workflows/activities'
import type { Pruning } from '../../../../workflows/controls/prune-activity'

export async function pruneActivity({ batchSize, removed = 0 }: Pruning): Promise<number> {
  await activities.pruneActivity({ limit: 1 })
  return removed + (await activities.pruneActivity({ limit: batchSize }))
}
