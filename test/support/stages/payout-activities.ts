// The activities of a payout with one set of dependencies, for tests that call them one by one.
import { bind, type PayoutDeps } from '../../../activities/bind'
import { cancelPayout } from '../../../activities/payouts/cancel'
import { debitPayout } from '../../../activities/payouts/debit'
import { resolveSubmit } from '../../../activities/payouts/resolve'
import { pollReturn, pollSettlement } from '../../../activities/payouts/settle'
import { submitToRail } from '../../../activities/payouts/submit'

/** `brief` is for activities that a caller waits for, as in a worker. */
export function payoutActivities(deps: PayoutDeps, brief: PayoutDeps = deps) {
  return {
    ...bind(brief, { debitPayout, submitToRail, cancelPayout }),
    ...bind(deps, { resolveSubmit, pollSettlement, pollReturn }),
  }
}
