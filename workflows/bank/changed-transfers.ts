// Looks once a day through what has changed at each bank, because events can be lost: so no workflow waits 90 days for a return.
import { ActivityFailure, isCancellation } from '@temporalio/workflow'
import { type Environment, environments } from '../../domain/environment'
import * as activities from '../activities'
import type { LookedThrough } from './changed-transfers-steps'

/** Null where it could not be done: the next look begins where the last one that could has ended. */
export type ChangedTransfersSeen = Readonly<Record<Environment, LookedThrough | null>>

export async function changedTransfers(): Promise<ChangedTransfersSeen> {
  const [sandbox, live] = await Promise.all(environments.map(look))
  return { sandbox: sandbox ?? null, live: live ?? null }
}

/** A bank that can not be read does not keep the other one from being read. */
async function look(environment: Environment): Promise<LookedThrough | null> {
  try {
    return await activities.readChangedTransfers({ environment })
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
    return null
  }
}
