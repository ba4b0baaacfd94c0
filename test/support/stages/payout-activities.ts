// The payout activities, bound to their dependencies, for tests that call them one by one.
import { bind, type PayoutDeps } from '../../../activities/bind'
import { cancelPayout } from '../../../activities/payouts/cancel'
import { chargePayout } from '../../../activities/payouts/charge'
import { debitPayout } from '../../../activities/payouts/debit'
import { resolveSubmit } from '../../../activities/payouts/resolve'
import { pollReturn, pollSettlement } from '../../../activities/payouts/settle'
import { submitToRail } from '../../../activities/payouts/submit'
import type { PayoutRef, Underway } from '../../../workflows/payouts/payout'

/** `brief` has the short timeouts of activities that a caller waits for. */
export function payoutActivities(deps: PayoutDeps, brief: PayoutDeps = deps) {
  const steps = {
    ...bind(brief, { debitPayout, submitToRail, cancelPayout }),
    ...bind(deps, { resolveSubmit, pollSettlement, chargePayout, pollReturn }),
  }
  /** Polls the bank and charges a completed payout, as the workflow does. */
  const settle = async (payout: PayoutRef): Promise<Underway> => {
    const step = await steps.pollSettlement(payout)
    return step.at === 'settled' ? steps.chargePayout(payout) : step
  }
  return { ...steps, settle }
}
