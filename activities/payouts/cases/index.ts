// The step of a recall's or trace's workflow, bound to what it acts upon.
import type { PayoutCaseSteps } from '../../../workflows/payouts/case-steps'
import { type CaseDeps, lookAfterCase } from './look-after'

export function createPayoutCaseSteps(deps: CaseDeps): PayoutCaseSteps {
  return { lookAfterCase: (ref) => lookAfterCase(deps, ref) }
}
