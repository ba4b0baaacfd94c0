// The API's way to test money: a workflow adds it, because only activities move money.
import { housekeepingQueue, ofSystem, topUpId } from '../../workflows/names'
import type { SandboxTopUp, ToppedUp, topUp } from '../../workflows/wallets/top-up'
import { resultWithin, type Waiting } from '../result-within'

export interface TopUpStarter {
  /** Null when nobody said in time that it was added: it may still be. */
  start(order: SandboxTopUp): Promise<ToppedUp | null>
}

export function createTopUpStarter(waiting: Waiting): TopUpStarter {
  const { temporal, taskQueuePrefix } = waiting
  return {
    start(order) {
      const workflowId = topUpId(order)
      return resultWithin(waiting, workflowId, () =>
        temporal.workflow.execute<typeof topUp>('topUp', {
          workflowId,
          taskQueue: ofSystem(housekeepingQueue, taskQueuePrefix),
          args: [order],
          // Nobody wants it any more after that.
          workflowExecutionTimeout: '10 minutes',
          staticSummary: `Adds ${order.usdc} USDC of test money`,
        }),
      )
    },
  }
}
