// Maintains the audit chain: seals new ledger rows, charges and activity entries into it every minute, and verifies all
// links once a day.
import { requireCounts } from '../input'
import { inBatches, regularActivities } from '../proxies'

export interface Sealing {
  readonly batchSize: number
  /** Maximum number of batches per run. The next run handles the remaining batches. */
  readonly batches: number
}

export interface SealAuditActivities {
  /** Seals up to `limit` rows of each table into the chain and returns the number of sealed rows. Idempotent. */
  sealAudit(batch: { readonly limit: number }): Promise<number>
}

/** The next run seals the rows that this one could not. */
const { sealAudit: sealBatch } = regularActivities<SealAuditActivities>('1 minute', { first: '1 second', attempts: 5 })

/** Returns the number of sealed rows. */
export async function sealAudit(order: Sealing): Promise<number> {
  requireCounts(order, { batchSize: 10_000, batches: 1_000 }, '{"batchSize": 5000, "batches": 100}')
  return inBatches(sealBatch, order)
}

export interface AuditVerdict {
  /** The number of valid links and the hash of the last one. The workflow history keeps both outside the database. */
  readonly links: string
  readonly head: string
  readonly fault: string | null
}

export interface VerifyAuditActivities {
  /** Verifies the whole chain, and notifies the operators of a new fault. Idempotent. */
  verifyAudit(): Promise<AuditVerdict>
}

/** Verifying a chain of several years takes hours. If all attempts fail, the next daily run verifies it. */
const { verifyAudit: verifyChain } = regularActivities<VerifyAuditActivities>('6 hours', {
  first: '1 minute',
  attempts: 3,
})

export async function verifyAudit(): Promise<AuditVerdict> {
  return verifyChain()
}
