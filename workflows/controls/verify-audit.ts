// Verifies the audit chain from its first link, once a day.
import { proxyActivities } from '@temporalio/workflow'

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
