// Chains, every minute, what was booked, charged and changed since the last time.
import * as activities from '../activities'
import { requireCounts } from '../input'

export interface Sealing {
  readonly batchSize: number
  /** What is left after so many batches is for the next run. */
  readonly batches: number
}

/** Answers how many rows it sealed. */
export async function sealAudit(order: Sealing): Promise<number> {
  requireCounts(order, { batchSize: 10_000, batches: 1_000 }, '{"batchSize": 5000, "batches": 100}')
  const { batchSize, batches } = order
  let sealed = 0
  for (let batch = 0; batch < batches; batch++) {
    const count = await activities.sealAudit({ limit: batchSize })
    sealed += count
    if (count < batchSize) break
  }
  return sealed
}
