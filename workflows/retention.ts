// Erases, every night, what was kept as long as it has to be; ledger, invoices and the audit chain are never touched.
import * as activities from './activities'
import { requireCounts } from './input'

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
  const recipients = await eraseAll(activities.eraseRecipients)
  return { recipients, bankEvents: await eraseAll(activities.eraseBankEvents) }
}
