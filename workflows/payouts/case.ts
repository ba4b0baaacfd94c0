// The life of a recall or trace, which people settle: it waits for its deadline, sees that people hear of one that is late, and ends with the case.
import { condition, continueAsNew, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow'
import * as activities from '../activities'
import { requireFields } from '../input'
import { caseResolvedSignal } from '../names'

export interface CaseToFollow {
  readonly caseId: string
  readonly dueInMs: number
  /** How often a late one is looked at, because the word that it was resolved may be lost. */
  readonly lookEveryMs: number
}

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
    const standing = await activities.lookAfterCase({ caseId })
    if (standing.at === 'over') return
    pauseMs = standing.dueInMs ?? lookEveryMs
  }
  await continueAsNew<typeof payoutCase>({ caseId, dueInMs: isWoken ? 1 : pauseMs, lookEveryMs })
}
