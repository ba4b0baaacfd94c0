// Proxies through which workflows call activities. Each workflow file defines the timeouts and retries of its own
// activities.
import {
  type ActivityInterfaceFor,
  type ActivityOptions,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow'

type Duration = NonNullable<ActivityOptions['startToCloseTimeout']>

/** The retry interval starts at `first` and doubles up to `longest`. Without `attempts`, retries are unlimited. */
interface Retries {
  readonly first: Duration
  readonly longest?: Duration
  readonly attempts?: number
}

/** Regular activities. They heartbeat, so the server detects a lost worker within seconds. */
export function regularActivities<A>(startToCloseTimeout: Duration, retries: Retries): ActivityInterfaceFor<A> {
  return proxyActivities<A>({ startToCloseTimeout, heartbeatTimeout: '5 seconds', retry: policyOf(retries) })
}

/**
 * Activities that run inside the workflow task. A retry more than a second away becomes a timer, which occupies no
 * worker slot.
 */
export function localActivities<A>(startToCloseTimeout: Duration, retries: Retries): ActivityInterfaceFor<A> {
  return proxyLocalActivities<A>({ startToCloseTimeout, localRetryThreshold: '1 second', retry: policyOf(retries) })
}

/** Repeats an activity until a batch is not full, at most `batches` times. Returns the number of rows handled. */
export async function inBatches(
  handle: (batch: { readonly limit: number }) => Promise<number>,
  { batchSize, batches }: { readonly batchSize: number; readonly batches: number },
): Promise<number> {
  let handled = 0
  for (let batch = 0; batch < batches; batch++) {
    const count = await handle({ limit: batchSize })
    handled += count
    if (count < batchSize) break
  }
  return handled
}

function policyOf({ first, longest, attempts }: Retries) {
  return {
    initialInterval: first,
    backoffCoefficient: 2,
    ...(longest !== undefined && { maximumInterval: longest }),
    ...(attempts !== undefined && { maximumAttempts: attempts }),
  }
}
