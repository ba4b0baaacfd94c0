// How the workflow of a return is started, the same by whoever has heard of it: the webhook, the wallet's history, the daily look.
import type { Environment } from '../../domain/environment'
import { payoutQueue, payoutReturnId, payoutSearchAttributes } from '../names'
import type { ReturnOrder } from './return'
import type { StartSettings } from './start'

export interface ReturnToStart {
  readonly payoutId: string
  readonly environment: Environment
}

/** Two that hear of it at once start one; one that hears of it later starts it again, and it finds nothing to do. */
export function payoutReturnStart(payout: ReturnToStart, { queuePrefix, pollMs }: StartSettings) {
  const { payoutId, environment } = payout
  const order: ReturnOrder = { payoutId, pollMs }
  return {
    workflowId: payoutReturnId(payoutId),
    taskQueue: payoutQueue(environment, queuePrefix),
    args: [order] as [ReturnOrder],
    workflowTaskTimeout: '5s',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    staticSummary: `A completed payout comes back · ${environment}`,
    typedSearchAttributes: attributesOf(payout),
  } as const
}

function attributesOf({ payoutId, environment }: ReturnToStart) {
  const keys = payoutSearchAttributes
  return [
    { key: keys.environment, value: environment },
    { key: keys.status, value: 'completed' },
    { key: keys.payoutId, value: payoutId },
  ]
}
