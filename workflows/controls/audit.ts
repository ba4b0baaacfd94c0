// The audit chain: adds new ledger entries, charges and changes every minute, and verifies all links once a day.
import { proxyActivities } from '@temporalio/workflow'
import { requireCounts } from '../input'

export interface Sealing {
  readonly batchSize: number
  /** The next run does the rest. */
  readonly batches: number
}

export interface SealAuditActivities {
  /** Chains up to `limit` unsealed rows of each table and returns how many. Idempotent. */
  sealAudit(batch: { readonly limit: number }): Promise<number>
}

/** The next run seals the rows that this one could not. */
const { sealAudit: sealBatch } = proxyActivities<SealAuditActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 5 },
})

/** Returns how many rows it sealed. */
export async function sealAudit(order: Sealing): Promise<number> {
  requireCounts(order, { batchSize: 10_000, batches: 1_000 }, '{"batchSize": 5000, "batches": 100}')
  const { batchSize, batches } = order
  let sealed = 0
  for (let batch = 0; batch < batches; batch++) {
    const count = await sealBatch({ limit: batchSize })
    sealed += count
    if (count < batchSize) break
  }
  return sealed
}

export interface AuditVerdict {
  /** How many links are valid, and the hash of the last. The history keeps both outside the database. */
  readonly links: string
  readonly head: string
  readonly fault: string | null
}

export interface VerifyAuditActivities {
  /** Verifies the whole chain, and notifies the operators of a new fault. Idempotent. */
  verifyAudit(): Promise<AuditVerdict>
}

/** A chain of several years takes hours. The workflow runs again tomorrow. */
const { verifyAudit: verifyChain } = proxyActivities<VerifyAuditActivities>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '1 minute', backoffCoefficient: 2, maximumAttempts: 3 },
})

export async function verifyAudit(): Promise<AuditVerdict> {
  return verifyChain()
}
