// The contract between workflows and activities: what each activity takes and answers, how long it may take, how it is retried.

import { proxyActivities } from '@temporalio/workflow'

export interface Activities {
  /** Removes up to `limit` entries of reads that are past their retention; answers how many. Safe to repeat. */
  pruneActivity(batch: { readonly limit: number }): Promise<number>
}

/** A batch takes milliseconds. A database that is away is asked again until it is back, at most every five minutes. */
export const { pruneActivity } = proxyActivities<Pick<Activities, 'pruneActivity'>>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
})
