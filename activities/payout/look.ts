// Looks into the bank's own list for the transfer of a payout, wherever the row does not know it.
import { type StepRow, setAttention } from '../../db/payout-steps'
import { type FoundTransfer, RailUnavailable } from '../../rail/rail'
import type { PayoutDeps } from './deps'
import { refsOf } from './recipient'

/** From the row's first moment on: a restored row may not know of a call that was made long before its own first one. */
export async function lookFor(
  { db, rails, log }: PayoutDeps,
  row: StepRow,
): Promise<FoundTransfer | { readonly outcome: 'no answer' }> {
  const found = await find(rails, row)
  if (found.outcome === 'incomplete') {
    log.error({ payout_id: row.id }, 'the bank’s list is incomplete: a person has to decide about this payout')
    await setAttention(db, row.id, 'outcome_unknown')
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
