// The workflow after a careless change: it checks the customer before it has opened one.
import { proxyActivities } from '@temporalio/workflow'
import type { VerificationActivities } from '../../../../workflows/partners/verification'
import { verification as original, type Verification } from '../../../../workflows/partners/verification'

const { checkLiveCustomer } = proxyActivities<VerificationActivities>({ startToCloseTimeout: '1 minute' })

export async function verification(order: Verification) {
  await checkLiveCustomer({ partnerId: order.partnerId })
  return original(order)
}
