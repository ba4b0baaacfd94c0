// The steps of a sweep: rows and workflows are compared, and what is missing is started (design §3, "Attempt").
import type { ChangedTransfersSteps } from '../../workflows/changed-transfers-steps'
import type { SweepSteps } from '../../workflows/sweep-steps'
import { reportLateCases } from '../cases/look-after'
import { reportLateOpenings } from '../verification/report-late'
import { readChangedTransfers } from './changed-transfers'
import type { SweepDeps } from './deps'
import { reportOverdue } from './overdue'
import { sweepPayouts } from './payouts'
import { sweepSandboxes } from './sandboxes'
import { sweepStrays } from './strays'

export type { SweepDeps } from './deps'

export function createSweepSteps(deps: SweepDeps): SweepSteps & ChangedTransfersSteps {
  return {
    sweepPayouts: (page) => sweepPayouts(deps, page),
    sweepSandboxes: (page) => sweepSandboxes(deps, page),
    sweepStrays: (page) => sweepStrays(deps, page),
    async reportOverdue(page) {
      const swept = await reportOverdue(deps, page)
      await reportLateCases(deps, page)
      await reportLateOpenings(deps)
      return swept
    },
    readChangedTransfers: (order) => readChangedTransfers(deps, order),
  }
}
