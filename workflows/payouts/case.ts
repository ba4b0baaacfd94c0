// Follows a recall or trace until an operator has resolved it, and reports it when it is late.
import { condition, continueAsNew, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow'
import { requireFields } from '../input'
import { caseResolvedSignal } from '../names'
import { regularActivities } from '../proxies'

export interface CaseToFollow {
  readonly caseId: string
  readonly dueInMs: number
  /** Interval between checks of a late case. The signal that it is resolved may have been lost. */
  readonly lookEveryMs: number
}

export interface CaseRef {
  readonly caseId: string
}

export type CaseProgress =
  | { readonly at: 'over' }
  /** `dueInMs` is null when the case is late and the operators have been notified. */
  | { readonly at: 'open'; readonly dueInMs: number | null }

export interface PayoutCaseActivities {
  /** Returns the status from the row, and notifies the operators once if the case is late. Idempotent. */
  lookAfterCase(ref: CaseRef): Promise<CaseProgress>
}

/** No caller waits for this activity, so it retries until the database is available. */
const { lookAfterCase } = regularActivities<PayoutCaseActivities>('1 minute', {
  first: '1 second',
  longest: '5 minutes',
})

/** Only wakes the workflow. The row shows whether the case is resolved. */
const caseResolved = defineSignal(caseResolvedSignal)

export async function payoutCase(order: CaseToFollow): Promise<void> {
  requireFields(order, { caseId: 'id', dueInMs: 'number', lookEveryMs: 'number' })
  const { caseId, dueInMs, lookEveryMs } = order
  let isWoken = false
  setHandler(caseResolved, () => {
    isWoken = true
  })

  let pauseMs = dueInMs
  while (!workflowInfo().continueAsNewSuggested) {
    await condition(() => isWoken, Math.max(1, pauseMs))
    isWoken = false
    const progress = await lookAfterCase({ caseId })
    if (progress.at === 'over') return
    pauseMs = progress.dueInMs ?? lookEveryMs
  }
  await continueAsNew<typeof payoutCase>({ caseId, dueInMs: isWoken ? 1 : pauseMs, lookEveryMs })
}
