// The steps of a payout, bound to what they act upon.

import type { PayoutActivities } from '../../workflows/payouts/payout'
import type { PayoutReturnActivities } from '../../workflows/payouts/return'
import { cancelPayout } from './cancel'
import { debitPayout } from './debit'
import type { PayoutDeps } from './deps'
import { resolveSubmit } from './send/resolve'
import { submitToRail } from './send/submit'
import { pollReturn } from './settle/return'
import { pollSettlement } from './settle/settle'

export interface PayoutStepDeps {
  /** For what a caller waits for: everything the bank is asked takes a second or two at most. */
  readonly brief: PayoutDeps
  /** For what nobody waits for. */
  readonly patient: PayoutDeps
}

export function createPayoutSteps({ brief, patient }: PayoutStepDeps): PayoutActivities & PayoutReturnActivities {
  return {
    debitPayout: (payout) => debitPayout(brief, payout),
    submitToRail: (payout) => submitToRail(brief, payout),
    cancelPayout: (payout) => cancelPayout(brief, payout),
    resolveSubmit: (payout) => resolveSubmit(patient, payout),
    pollSettlement: (payout) => pollSettlement(patient, payout),
    pollReturn: (payout) => pollReturn(patient, payout),
  }
}
