// The workflow after a careless change: it emails before it checks the balances.
import { proxyActivities } from '@temporalio/workflow'
import type { NoticesActivities } from '../../../../workflows/partners/notices'
import { type Noticing, notices as original } from '../../../../workflows/partners/notices'

const { sendNotices } = proxyActivities<NoticesActivities>({ startToCloseTimeout: '1 minute' })

export async function notices(noticing: Noticing): Promise<number> {
  await sendNotices({ limit: noticing.pageSize })
  return original(noticing)
}
