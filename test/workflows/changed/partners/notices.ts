// The workflow as a careless change would leave it: it mails before it looks at the balances.
import * as activities from '../../../../workflows/activities'
import { type Noticing, notices as original } from '../../../../workflows/partners/notices'

export async function notices(noticing: Noticing): Promise<number> {
  await activities.sendNotices({ limit: noticing.pageSize })
  return original(noticing)
}
