// The workflow as a careless change would leave it: it looks at one partner before it looks at all of them.
import * as activities from '../../../../workflows/activities'
import { verifications as original, type Verifications } from '../../../../workflows/partners/verifications'

export async function verifications(order: Verifications): Promise<number> {
  await activities.checkLiveCustomer({ partnerId: '' })
  return original(order)
}
