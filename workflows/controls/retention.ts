// Erases personal data and prunes the activity list when their retention periods end. Never changes the ledger, the
// invoices or the audit chain.
import { continueAsNew, isCancellation, patched } from '@temporalio/workflow'
import { fromPreviousRun, requireCounts } from '../input'
import { inBatches, regularActivities } from '../proxies'

export interface Erasing {
  readonly batchSize: number
  /** Maximum number of batches of each kind. The next nightly run handles the remaining batches. */
  readonly batches: number
}

export interface Erased {
  readonly recipients: number
  readonly bankEvents: number
}

export interface RetentionActivities {
  /** Erases up to `limit` old recipient details, bank registrations and notes, and returns their number. Idempotent. */
  eraseRecipients(batch: { readonly limit: number }): Promise<number>
  /** Erases up to `limit` old bank events that need no operator and returns their number. Idempotent. */
  eraseBankEvents(batch: { readonly limit: number }): Promise<number>
}

/** The next nightly run erases the rows that this one could not. */
const { eraseRecipients, eraseBankEvents } = regularActivities<RetentionActivities>('1 minute', {
  first: '1 second',
  attempts: 5,
})

/** Erases recipients and bank events every night. */
export async function retention(order: Erasing): Promise<Erased> {
  requireCounts(order, { batchSize: 10_000, batches: 1_000 }, '{"batchSize": 1000, "batches": 500}')
  const errors: unknown[] = []
  const recipients = await inBatches(eraseRecipients, order).catch((error: unknown) => {
    // If recipients cannot be erased, bank events still are. In earlier releases the run ended here.
    if (isCancellation(error) || !patched('each-kind-by-itself')) throw error
    errors.push(error)
    return 0
  })
  const bankEvents = await inBatches(eraseBankEvents, order)
  if (errors.length > 0) throw errors[0]
  return { recipients, bankEvents }
}

export interface Pruning {
  readonly batchSize: number
  /** After this many batches the workflow continues as a new run. A batch adds six events to the history. */
  readonly batchesPerRun: number
  /** Entries removed by the previous runs. */
  readonly removed?: number
}

export interface PruneActivityActivities {
  /** Deletes up to `limit` entries past their retention period and returns their number. Idempotent. */
  pruneActivity(batch: { readonly limit: number }): Promise<number>
}

/** A batch takes milliseconds. Retries until the database is available again. */
const { pruneActivity: pruneBatch } = regularActivities<PruneActivityActivities>('1 minute', {
  first: '1 second',
  longest: '5 minutes',
})

/**
 * Deletes old entries from the activity list once a day. Returns the number of entries removed by all continued runs.
 */
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
