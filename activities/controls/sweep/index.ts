// The steps of a sweep: rows and workflows are compared, and what is missing is started (design §3, "Attempt").
import { findSweepPosition, saveSweepPosition } from '../../../db/controls/sweep-positions'
import type { ChangedTransfersSteps } from '../../../workflows/bank/changed-transfers-steps'
import type { Page, SweepSteps, SweptPage } from '../../../workflows/controls/sweep-steps'
import { readChangedTransfers } from '../../bank/changed-transfers'
import { reportLateOpenings } from '../../partners/verification/report-late'
import { reportLateCases } from '../../payouts/cases/look-after'
import type { SweepDeps } from './deps'
import { reportOverdue } from './overdue'
import { sweepPayouts } from './payouts'
import { sweepSandboxes } from './sandboxes'
import { sweepStrays } from './strays'

export type { SweepDeps } from './deps'

export function createSweepSteps(deps: SweepDeps): SweepSteps & ChangedTransfersSteps {
  return {
    sweepPayouts: (page) => resumed(deps, 'payouts', page, sweepPayouts),
    sweepSandboxes: (page) => resumed(deps, 'sandboxes', page, sweepSandboxes),
    sweepStrays: (page) => resumed(deps, 'strays', page, sweepStrays),
    async reportOverdue(page) {
      const swept = await reportOverdue(deps, page)
      await reportLateCases(deps, page)
      await reportLateOpenings(deps)
      return swept
    },
    readChangedTransfers: (order) => readChangedTransfers(deps, order),
  }
}

/** A sweep that was cut off is continued by the next one. A position that cannot be continued from is dropped. */
async function resumed(
  deps: SweepDeps,
  stage: string,
  page: Page,
  step: (deps: SweepDeps, page: Page) => Promise<SweptPage>,
): Promise<SweptPage> {
  const after = page.after ?? (await findSweepPosition(deps.db, stage))
  try {
    const swept = await step(deps, { ...page, after })
    await saveSweepPosition(deps.db, stage, swept.next ?? null)
    return swept
  } catch (error) {
    await saveSweepPosition(deps.db, stage, null)
    throw error
  }
}
