// Reads the transfers that changed at each bank once a day, because events can be lost. This also detects late
// returns, so no workflow has to wait 90 days for one.
import { ActivityFailure, isCancellation, proxyActivities } from '@temporalio/workflow'
import { type Environment, environments } from '../../domain/environment'

export interface ChangedTransfers {
  readonly environment: Environment
}

/** Counts only, because the workflow history stores this result. */
export interface TransferScan {
  /** Changed transfers that the scan could read. */
  readonly looked: number
  /** Completed payouts that may have been returned. A workflow polls the bank about each. */
  readonly returns: number
  readonly contradictions: number
  /** Transfers that could not be processed. The log contains the reason, and the next read retries. */
  readonly failed: number
}

/** A scan that failed is null. The next one starts where the last successful one ended. */
type ChangedTransfersSeen = Readonly<Record<Environment, TransferScan | null>>

export interface ChangedTransfersActivities {
  /** Idempotent, except that a repeated call logs the same contradictions again. */
  readChangedTransfers(order: ChangedTransfers): Promise<TransferScan>
}

/**
 * Reading three months of a busy bank's transfers takes hours. The overall timeout ends the retries before the next
 * daily run.
 */
const { readChangedTransfers } = proxyActivities<ChangedTransfersActivities>({
  startToCloseTimeout: '10 hours',
  scheduleToCloseTimeout: '20 hours',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 minutes', maximumAttempts: 20 },
})

export async function changedTransfers(): Promise<ChangedTransfersSeen> {
  const [sandbox, live] = await Promise.all(environments.map(look))
  return { sandbox: sandbox ?? null, live: live ?? null }
}

/** If one bank is unavailable, the other is still read. */
async function look(environment: Environment): Promise<TransferScan | null> {
  try {
    return await readChangedTransfers({ environment })
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return null
  }
}
