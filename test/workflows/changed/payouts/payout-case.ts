// The workflow after a careless change: it checks the case before it waits.
import { proxyActivities } from '@temporalio/workflow'
import {
  type CaseToFollow,
  payoutCase as original,
  type PayoutCaseActivities,
} from '../../../../workflows/payouts/case'

const { lookAfterCase } = proxyActivities<PayoutCaseActivities>({ startToCloseTimeout: '1 minute' })

export async function payoutCase(order: CaseToFollow): Promise<void> {
  await lookAfterCase({ caseId: order.caseId })
  await original(order)
}
