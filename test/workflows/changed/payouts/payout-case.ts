// The workflow as a careless change would leave it: it looks at the case before it waits.
import * as activities from '../../../../workflows/activities'
import { type CaseToFollow, payoutCase as original } from '../../../../workflows/payouts/case'

export async function payoutCase(order: CaseToFollow): Promise<void> {
  await activities.lookAfterCase({ caseId: order.caseId })
  await original(order)
}
