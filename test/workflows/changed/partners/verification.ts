// The workflow as a careless change would leave it: it looks at the customer before there is one.
import * as activities from '../../../../workflows/activities'
import { verification as original, type Verification } from '../../../../workflows/partners/verification'

export async function verification(order: Verification) {
  await activities.checkLiveCustomer({ partnerId: order.partnerId })
  return original(order)
}
