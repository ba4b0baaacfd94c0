// Payouts that should have been over long ago: each is marked for people, and told in the log, once.
import { markOverdue } from '../../../db/payouts/open'
import type { Page, SweptPage } from '../../../workflows/controls/sweep-steps'
import { ago, type SweepDeps } from './deps'

/** Needs no cursor: who is marked is not found again. */
export async function reportOverdue(deps: SweepDeps, { limit }: Page): Promise<SweptPage> {
  const sentBefore = ago(deps, deps.settleWithinMs)
  const unknownBefore = ago(deps, deps.knownWithinMs)
  const overdue = await markOverdue(deps.db, { sentBefore, unknownBefore, limit })
  for (const { payoutId, attention, environment, createdAt } of overdue) {
    const since = createdAt.toISOString()
    deps.log.error({ payout_id: payoutId, attention, environment, since }, 'a payout is overdue: somebody has to look')
  }
  return { overdue: overdue.length, next: overdue.length < limit ? null : 'more' }
}
