// Reads the transfers that changed at each bank once a day, because events can be lost. So no workflow has to
// wait 90 days for a return.
import { ActivityFailure, isCancellation, proxyActivities } from '@temporalio/workflow'
import { type Environment, environments } from '../../domain/environment'

export interface ChangedTransfers {
  readonly environment: Environment
}

/** Counts only. */
export interface LookedThrough {
  /** Transfers that have changed at the bank. */
  readonly looked: number
  /** Completed payouts that may have been returned: the bank is asked about each. */
  readonly returns: number
  readonly contradictions: number
  /** Transfers that could not be processed. The log says why, and the next read retries. */
  readonly failed: number
}

/** Null where the read failed: the next one starts where the last successful one ended. */
type ChangedTransfersSeen = Readonly<Record<Environment, LookedThrough | null>>

export interface ChangedTransfersActivities {
  /** Idempotent: a repeated call starts no second workflow and reports nothing twice. */
  readChangedTransfers(order: ChangedTransfers): Promise<LookedThrough>
}

/** Three months of a busy bank take hours to read. It gives up before the workflow runs again tomorrow. */
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

/** A bank that is unavailable does not stop the read of the other one. */
async function look(environment: Environment): Promise<LookedThrough | null> {
  try {
    return await readChangedTransfers({ environment })
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return null
  }
}
