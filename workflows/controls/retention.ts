// Erases personal data past its retention every night. It never touches ledger, invoices or audit chain.
import { isCancellation, patched, proxyActivities } from '@temporalio/workflow'
import { requireCounts } from '../input'

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
