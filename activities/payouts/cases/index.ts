// The step of a recall's or trace's workflow, bound to what it acts upon.
import type { PayoutCaseActivities } from '../../../workflows/payouts/case'
import { type CaseDeps, lookAfterCase } from './look-after'

export function createPayoutCaseSteps(deps: CaseDeps): PayoutCaseActivities {
  return { lookAfterCase: (ref) => lookAfterCase(deps, ref) }
}
