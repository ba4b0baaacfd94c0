// What comes after "completed": somebody has said that a payout has come back, and the bank is asked until its money has.
import {
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import * as activities from '../activities'
import { requireFields } from '../input'
import { payoutSearchAttributes } from '../names'
import { bankSpoke } from './payout'
import type { ReturnRef } from './return-steps'

export interface ReturnOrder extends ReturnRef {
  /** How long to wait before the bank is asked again: the first time, the second …, and from then on as the last. */
  readonly pollMs: readonly number[]
}

/** Longer histories are started afresh: the row knows where the payout stands. */
const longHistory = 1_000

export async function payoutReturn(order: ReturnOrder): Promise<void> {
  requireFields(order, { payoutId: 'id', pollMs: 'pauses' })
  let spoke = false
  let shown = 'completed'
  setHandler(bankSpoke, () => {
    spoke = true
  })

  // A cancel from outside would break off what moves money.
  await CancellationScope.nonCancellable(async () => {
    for (let asked = 0; ; asked++) {
      spoke = false
      const { at, status, says } = await activities.pollReturn({ payoutId: order.payoutId })
      setCurrentDetails(`Payout ${order.payoutId}: ${says}.`)
      if (status !== shown) upsertSearchAttributes([{ key: payoutSearchAttributes.status, value: status }])
      shown = status
      // What the bank said while it was being asked may be newer than its answer.
      if (at === 'over' && !spoke) return
      if (workflowInfo().historyLength > longHistory) await continueAsNew<typeof payoutReturn>(order)
      await condition(() => spoke, pauseMs(order, asked))
    }
  })
}

function pauseMs({ pollMs }: ReturnOrder, asked: number): number {
  return pollMs[Math.min(asked, pollMs.length - 1)] ?? 60_000
}
