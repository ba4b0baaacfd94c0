// The workflow after a careless change: it runs another activity first.
import { proxyLocalActivities } from '@temporalio/workflow'
import { payout as original, type PayoutActivities, type PayoutOrder } from '../../../../workflows/payouts/payout'

const { cancelPayout } = proxyLocalActivities<Pick<PayoutActivities, 'cancelPayout'>>({
  startToCloseTimeout: '8 seconds',
})

export async function payout(order: PayoutOrder): Promise<void> {
  await cancelPayout(order)
  await original(order)
}
