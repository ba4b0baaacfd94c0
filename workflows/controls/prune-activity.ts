// Forgets what was only read, once a day: the activity list records every call, and reads need not be kept for ever.

import { continueAsNew } from '@temporalio/workflow'
import * as activities from '../activities'
import { ofRunBefore, requireCounts } from '../input'

export interface Pruning {
  readonly batchSize: number
  /** A batch adds six events to the history; after this many the workflow goes on in a fresh one. */
  readonly batchesPerRun: number
  /** By the runs that this one continues. */
  readonly removed?: number
}

/** Answers how many entries it removed, over all its runs. */
export async function pruneActivity(order: Pruning): Promise<number> {
  requireCounts(order, { batchSize: 10_000, batchesPerRun: 1_000 }, '{"batchSize": 5000, "batchesPerRun": 200}')
  const { batchSize, batchesPerRun } = order
  let total = ofRunBefore(order.removed) ?? 0
  for (let batch = 0; batch < batchesPerRun; batch++) {
    const count = await activities.pruneActivity({ limit: batchSize })
    total += count
    if (count < batchSize) return total
  }
  return continueAsNew<typeof pruneActivity>({ batchSize, batchesPerRun, removed: total })
}
