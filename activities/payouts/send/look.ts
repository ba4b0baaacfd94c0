// Looks up a payout's transfer at the bank when our row does not know it, and asks for an operator when the bank cannot tell.
import { type StepRow, setAttention } from '../../../db/payouts/steps'
import { type FoundTransfer, RailUnavailable } from '../../../rail/rail'
import type { PayoutDeps } from '../../bind'
import { refsOf } from './recipient'

/** Searches from the row's creation on: a restored row may not know of a call that was made long before its own first one. */
export async function lookFor(
  { db, rails, log }: PayoutDeps,
  row: StepRow,
): Promise<FoundTransfer | { readonly outcome: 'no answer' }> {
  const found = await find(rails, row)
  if (found.outcome === 'incomplete' && (await setAttention(db, row.id, 'outcome_unknown'))) {
    const about = { payout_id: row.id, transfer_ref: found.transferRef ?? null }
    log.error(about, 'lookup incomplete: an operator has to decide about this payout')
  }
  return found
}

async function find(rails: PayoutDeps['rails'], row: StepRow) {
  try {
    return await rails[row.rail].findTransfer({ ...refsOf(row), payoutId: row.id, since: row.createdAt })
  } catch (error) {
    if (error instanceof RailUnavailable) return { outcome: 'no answer' } as const
    throw error
  }
}
