// Deletes old entries of the activity list once a day. The list records every call, and reads expire.
import { continueAsNew, proxyActivities } from '@temporalio/workflow'
import { fromPreviousRun, requireCounts } from '../input'

export interface Pruning {
  readonly batchSize: number
  /** A batch adds six events to the history. After this many the workflow continues as a new run. */
  readonly batchesPerRun: number
  /** Entries removed by the runs that this one continues. */
  readonly removed?: number
}

export interface PruneActivityActivities {
  /** Deletes up to `limit` entries past their retention and returns how many. Idempotent. */
  pruneActivity(batch: { readonly limit: number }): Promise<number>
}

/** A batch takes milliseconds. Retries until the database is back. */
const { pruneActivity: pruneBatch } = proxyActivities<PruneActivityActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
})

/** Returns how many entries all its runs removed. */
export async function pruneActivity(order: Pruning): Promise<number> {
  requireCounts(order, { batchSize: 10_000, batchesPerRun: 1_000 }, '{"batchSize": 5000, "batchesPerRun": 200}')
  const { batchSize, batchesPerRun } = order
  let total = fromPreviousRun(order.removed) ?? 0
  for (let batch = 0; batch < batchesPerRun; batch++) {
    const count = await pruneBatch({ limit: batchSize })
    total += count
    if (count < batchSize) return total
  }
  return continueAsNew<typeof pruneActivity>({ batchSize, batchesPerRun, removed: total })
}
