// How the workflow of a payout is started, the same by whoever starts it: the API at a request, the sweeper when none runs.
import { formatPence } from '../../domain/money'
import type { PayoutStatus } from '../../domain/payouts/payout'
import { type PayoutKey, payoutQueue, payoutSearchAttributes, payoutWorkflowId } from '../names'
import type { PayoutOrder } from './payout'

export interface PayoutToStart extends PayoutKey {
  readonly payoutId: string
  readonly slug: string
  readonly status: PayoutStatus
  readonly amountPence: bigint
  readonly accountLast4: string | null
}

export interface StartSettings {
  readonly queuePrefix: string
  readonly pollMs: readonly number[]
}

/** The options of a start, but for the policies on ids, in which the starters differ; ids, amounts and four digits only. */
export function payoutStart(payout: PayoutToStart, { queuePrefix, pollMs }: StartSettings) {
  const { payoutId, attempt, environment } = payout
  const order: PayoutOrder = { payoutId, attempt, pollMs }
  return {
    workflowId: payoutWorkflowId(payout),
    taskQueue: payoutQueue(environment, queuePrefix),
    args: [order] as [PayoutOrder],
    // For so long the payouts of a killed worker wait before another one takes them over.
    workflowTaskTimeout: '5s',
    staticSummary: summaryOf(payout),
    typedSearchAttributes: attributesOf(payout),
  } as const
}

function summaryOf({ amountPence, accountLast4, slug, environment }: PayoutToStart): string {
  return `${formatPence(amountPence)} GBP to ••••${accountLast4 ?? ''} · ${slug} · ${environment}`
}

/** The partner by the name that people see in the summary; by id it is found by the beginning of the workflow's own id. */
function attributesOf({ payoutId, slug, environment, status, amountPence }: PayoutToStart) {
  const keys = payoutSearchAttributes
  return [
    { key: keys.partner, value: slug },
    { key: keys.environment, value: environment },
    { key: keys.status, value: status },
    { key: keys.payoutId, value: payoutId },
    { key: keys.amountPence, value: Number(amountPence) },
  ]
}
