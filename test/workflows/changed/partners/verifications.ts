// The workflow after a careless change: it checks one partner before it lists all of them.
import { proxyActivities } from '@temporalio/workflow'
import type { VerificationActivities } from '../../../../workflows/partners/verification'
import { verifications as original, type Verifications } from '../../../../workflows/partners/verifications'

const { checkLiveCustomer } = proxyActivities<VerificationActivities>({ startToCloseTimeout: '1 minute' })

export async function verifications(order: Verifications): Promise<number> {
  await checkLiveCustomer({ partnerId: '' })
  return original(order)
}
