// A cancel that comes so late that the bank may have the payout without our knowing: the bank is asked before money goes back.
import { loadStep } from '../../db/payout-steps'
import type { PayoutSteps, Underway } from '../../workflows/payout-steps'
import { cancelPayout } from './cancel'
import type { PayoutDeps } from './deps'
import { isLate } from './late'
import { standingOf } from './standing'
import { takeOver } from './take-over'

export async function cancelUnlessSent(
  deps: PayoutDeps,
  payout: Parameters<PayoutSteps['cancelPayout']>[0],
): Promise<Underway> {
  const row = await loadStep(deps.db, payout.payoutId)
  const isSought = standingOf(row, payout) === null && isLate(row, deps)
  return (isSought ? await takeOver(deps, payout, row) : null) ?? cancelPayout(deps, payout)
}
