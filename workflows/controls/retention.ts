// Erases personal data, and prunes the activity list, past their retention. Never touches ledger, invoices or audit chain.
import { continueAsNew, isCancellation, patched, proxyActivities } from '@temporalio/workflow'
import { fromPreviousRun, requireCounts } from '../input'

export interface Erasing {
  readonly batchSize: number
  /** Batches of each kind. The next night does the rest. */
  readonly batches: number
}

export interface Erased {
  readonly recipients: number
  readonly bankEvents: number
}

export interface RetentionActivities {
  /** Erases up to `limit` sealed recipients of old, closed payouts and returns how many. Idempotent. */
  eraseRecipients(batch: { readonly limit: number }): Promise<number>
  /** Erases up to `limit` old bank events that need no operator and returns how many. Idempotent. */
  eraseBankEvents(batch: { readonly limit: number }): Promise<number>
}

/** The next night erases the rows that this one could not. */
const { eraseRecipients, eraseBankEvents } = proxyActivities<RetentionActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 5 },
})

/** Erases recipients and bank events every night. */
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
  const errors: unknown[] = []
  const recipients = await eraseAll(eraseRecipients).catch((error: unknown) => {
    // A failure of one kind does not stop the other. Earlier releases ended the run here.
    if (isCancellation(error) || !patched('each-kind-by-itself')) throw error
    errors.push(error)
    return 0
  })
  const bankEvents = await eraseAll(eraseBankEvents)
  if (errors.length > 0) throw errors[0]
  return { recipients, bankEvents }
}

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

/** Deletes old entries of the activity list once a day. Returns how many entries all its runs removed. */
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
