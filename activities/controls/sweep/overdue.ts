// Flags what should have been over long ago, each once: payouts, cases and verifications.
import { takeLateOpenings } from '../../../db/partners/verification'
import { markOverdue } from '../../../db/payouts/open'
import type { Page, SweptPage } from '../../../workflows/controls/sweep'
import { reportLateCases } from '../../payouts/cases/look-after'
import { ago, type SweepDeps } from './each'

export async function reportOverdue(deps: SweepDeps, page: Page): Promise<SweptPage> {
  const swept = await reportOverduePayouts(deps, page)
  await reportLateCases(deps, page)
  await reportLateOpenings(deps)
  return swept
}

/** Needs no cursor: a flagged payout is not found again. */
export async function reportOverduePayouts(deps: SweepDeps, { limit }: Page): Promise<SweptPage> {
  const sentBefore = ago(deps, deps.settleWithinMs)
  const unknownBefore = ago(deps, deps.knownWithinMs)
  const overdue = await markOverdue(deps.db, { sentBefore, unknownBefore, limit })
  for (const { payoutId, attention, environment, createdAt } of overdue) {
    const since = createdAt.toISOString()
    deps.log.error({ payout_id: payoutId, attention, environment, since }, 'payout overdue; an operator has to look')
  }
  return { overdue: overdue.length, next: overdue.length < limit ? null : 'more' }
}

const openWithinMs = 15 * 60_000

/** Logged once for each try. */
async function reportLateOpenings(deps: SweepDeps): Promise<void> {
  for (const partnerId of await takeLateOpenings(deps.db, ago(deps, openWithinMs))) {
    deps.log.error({ partner_id: partnerId }, 'the bank has not opened a verification; an operator has to look')
  }
}
