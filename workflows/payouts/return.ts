// Follows a completed payout that may have been returned: polls the bank until the money is back, or it
// is clear that nothing was returned.
import {
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { PayoutStatus } from '../../domain/payouts/payout'
import { requireFields } from '../input'
import { payoutSearchAttributes } from '../names'
import { localActivities } from '../proxies'
import { bankSpoke, described, detailsOf, formatDuration, type PayoutResult } from './payout'

export interface ReturnRef {
  readonly payoutId: string
}

export interface ReturnOrder extends ReturnRef {
  /** Poll intervals: before the second poll, the third, and so on. The last one repeats. */
  readonly pollMs: readonly number[]
}

/** Contains IDs and codes only, because the workflow history stores it. */
export interface ReturnStep {
  /** `waiting`: the bank must be polled again. `over`: nothing is left to do, or nothing was returned. */
  readonly at: 'waiting' | 'over'
  readonly status: PayoutStatus
  /** A short description for the Web UI. */
  readonly says: string
  /** The error from the last call to the bank. Absent if it succeeded. */
  readonly bank?: string
  /** The code of the failure reason. */
  readonly reason?: string
}

export interface PayoutReturnActivities {
  /** Reads the transfer's status at the bank and books it. Idempotent, even if two calls run at the same time. */
  pollReturn(payout: ReturnRef): Promise<ReturnStep>
}

/**
 * No caller waits for this activity, so its calls to the bank may take longer. This timeout must exceed the timeout
 * of those calls.
 */
const { pollReturn } = localActivities<PayoutReturnActivities>('30 seconds', { first: '100 ms', longest: '1 minute' })

/** A workflow with a longer history continues as a new run. The row has the payout's status. */
const longHistory = 1_000

export async function payoutReturn(order: ReturnOrder): Promise<PayoutResult> {
  requireFields(order, { payoutId: 'id', pollMs: 'pauses' })
  let spoke = false
  let shown = 'completed'
  setHandler(
    bankSpoke,
    () => {
      spoke = true
    },
    described.bankSpoke,
  )

  // A cancel in Temporal must not interrupt the code that moves money.
  return CancellationScope.nonCancellable(async () => {
    for (let asked = 0; ; asked++) {
      spoke = false
      const summary = `poll ${asked + 1}`
      const step = await pollReturn.executeWithOptions({ summary }, [{ payoutId: order.payoutId }])
      const { at, status, reason } = step
      setCurrentDetails(detailsOf(order, step))
      if (status !== shown) {
        const { status: key, reason: why } = payoutSearchAttributes
        upsertSearchAttributes([{ key, value: status }, ...(reason === undefined ? [] : [{ key: why, value: reason }])])
      }
      shown = status
      // A signal that arrived during the poll may be newer than the bank's answer.
      if (at === 'over' && !spoke) return { status, reason: reason ?? null }
      if (workflowInfo().historyLength > longHistory) await continueAsNew<typeof payoutReturn>(order)
      const pause = pauseMs(order, asked)
      await condition(() => spoke, pause, {
        summary: `the money to be returned; next poll in ${formatDuration(pause)}`,
      })
    }
  })
}

function pauseMs({ pollMs }: ReturnOrder, asked: number): number {
  return pollMs[Math.min(asked, pollMs.length - 1)] ?? 60_000
}
