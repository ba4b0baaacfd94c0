// Erases, every night, what was kept as long as it has to be; ledger, invoices and the audit chain are never touched.
import { isCancellation, patched } from '@temporalio/workflow'
import * as activities from '../activities'
import { requireCounts } from '../input'

export interface Erasing {
  readonly batchSize: number
  /** Of each kind; what is left after so many batches is for the next night. */
  readonly batches: number
}

export interface Erased {
  readonly recipients: number
  readonly bankEvents: number
}

export async function retention(order: Erasing): Promise<Erased> {
  requireCounts(order, { batchSize: 10_000, batches: 1_000 }, '{"batchSize": 1000, "batches": 500}')
  const { batchSize, batches } = order
  const eraseAll = async (erase: (batch: { limit: number }) => Promise<number>) => {
    let erased = 0
    for (let batch = 0; batch < batches; batch++) {
      const count = await erase({ limit: batchSize })
      erased += count
      if (count < batchSize) break
    }
    return erased
  }
  const trouble: unknown[] = []
  const recipients = await eraseAll(activities.eraseRecipients).catch((error: unknown) => {
    // What can not be erased is no reason to keep the rest; runs of before have ended here.
    if (isCancellation(error) || !patched('each-kind-by-itself')) throw error
    trouble.push(error)
    return 0
  })
  const bankEvents = await eraseAll(activities.eraseBankEvents)
  if (trouble.length > 0) throw trouble[0]
  return { recipients, bankEvents }
}
