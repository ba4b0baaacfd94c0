// A payout that may not be sent for now, as a rule because people have paused the rail: it is there for good, and waits with its money set aside.
import { loadStep, markAnswered } from '../../db/payout-steps'
import { kept } from '../../domain/verdict'
import type { PayoutRef, Underway } from '../../workflows/payout-steps'
import type { PayoutDeps } from './deps'
import { standingOf } from './standing'
import { noteUnknown } from './unknown'

/** The row is told before anybody is answered: from then on no refusal takes the payout away again. */
export async function holdPayout(
  deps: PayoutDeps,
  payout: PayoutRef,
  meanwhile: Underway = railPaused,
): Promise<Underway> {
  await markAnswered(deps.db, { ...payout, at: deps.clock.now() })
  const standing = standingOf(await loadStep(deps.db, payout.payoutId), payout)
  if (standing === null) return meanwhile
  return standing.at === 'unknown' ? noteUnknown(deps, payout) : standing
}

const railPaused: Underway = { at: 'unsent', verdict: kept, status: 'pending', says: 'waiting: the rail is paused' }
