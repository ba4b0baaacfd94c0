// The API's way to test money: a workflow adds it, because only activities move money.
import type { Client } from '@temporalio/client'
import type { Log } from '../log'
import { askWithin } from '../temporal'
import { housekeepingQueue, ofSystem, topUpId } from '../workflows/names'
import type { topUp } from '../workflows/top-up'
import type { SandboxTopUp, ToppedUp } from '../workflows/top-up-steps'

export interface TopUpStarter {
  /** Null when nobody said in time that it was added: it may still be. */
  start(order: SandboxTopUp): Promise<ToppedUp | null>
}

export function createTopUpStarter({
  temporal,
  taskQueuePrefix,
  withinMs,
  log,
}: {
  readonly temporal: Client
  readonly taskQueuePrefix: string
  readonly withinMs: number
  readonly log: Log
}): TopUpStarter {
  return {
    async start(order) {
      try {
        return await askWithin(temporal, withinMs, () =>
          temporal.workflow.execute<typeof topUp>('topUp', {
            workflowId: topUpId(order),
            taskQueue: ofSystem(housekeepingQueue, taskQueuePrefix),
            args: [order],
            // Nobody wants it any more after that.
            workflowExecutionTimeout: '10 minutes',
            staticSummary: `Adds ${order.usdc} USDC of test money`,
          }),
        )
      } catch (error) {
        log.warn({ err: error, partner_id: order.partnerId }, 'test money was not added in time')
        return null
      }
    },
  }
}
