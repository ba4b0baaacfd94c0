// A payout whose first call comes so late that the bank may have forgotten an earlier one: it was restored, or held for a day (docs/decisions/payouts/late-first-calls.md).
import type { StepRow } from '../../../db/payouts/steps'
import { kept } from '../../../domain/payouts/verdict'
import type { Underway } from '../../../workflows/payouts/payout'
import type { PayoutDeps } from '../../bind'

/** The bank remembers a key for 24 h, by its own clock: until then a second first call is answered with the transfer of the first. */
const keysAreKnownMs = 23 * 3_600_000

export function isLate({ createdAt }: StepRow, { clock }: Pick<PayoutDeps, 'clock'>): boolean {
  return clock.now().getTime() - createdAt.getTime() >= keysAreKnownMs
}

/** Reading the bank's list takes longer than a workflow task may: `resolveSubmit` has the time. */
export const toBeLookedUp: Underway = {
  at: 'unsent',
  needsLookup: true,
  verdict: kept,
  status: 'pending',
  says: 'unsent for a day: the bank is asked first whether it has a transfer',
}
