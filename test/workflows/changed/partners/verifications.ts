// The workflow after a careless change: it checks one partner before it lists all of them.
import { proxyActivities } from '@temporalio/workflow'
import {
  verifications as original,
  type VerificationActivities,
  type Verifications,
} from '../../../../workflows/partners/verification'

const { checkLiveCustomer } = proxyActivities<VerificationActivities>({ startToCloseTimeout: '1 minute' })

export async function verifications(order: Verifications): Promise<number> {
  await checkLiveCustomer({ partnerId: '' })
  return original(order)
}
