// Keeps a payout that must not be sent for now: the rail is paused, or its partner is not active. Its money stays set aside.
import { loadStep, markAnswered, type StepRow } from '../../../db/payouts/steps'
import { kept } from '../../../domain/payouts/verdict'
import type { PayoutRef, Underway } from '../../../workflows/payouts/payout'
import type { PayoutDeps } from '../../bind'
import { standingOf } from '../standing'
import { noteUnknown } from '../unknown'

/** The row records the answer before the caller hears it: from then on no refusal takes the payout away again. */
export async function holdPayout(deps: PayoutDeps, payout: PayoutRef, held?: Underway): Promise<Underway> {
  await markAnswered(deps.db, { ...payout, at: deps.clock.now() })
  const row = await loadStep(deps.db, payout.payoutId)
  const standing = standingOf(row, payout)
  if (standing === null) return held ?? waiting(row)
  return standing.at === 'unknown' ? noteUnknown(deps, payout) : standing
}

function waiting({ heldBy }: StepRow): Underway {
  const says = heldBy === null ? 'waiting to be sent' : `waiting: ${why[heldBy]}`
  return { at: 'unsent', verdict: kept, status: 'pending', says }
}

const why = {
  'rail paused': 'the rail is paused',
  'partner not active': 'the partner is not active',
} as const
