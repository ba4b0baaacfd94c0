// The workflow after a careless change: it erases events before bank details.
import { proxyActivities } from '@temporalio/workflow'
import type { RetentionActivities } from '../../../../workflows/controls/retention'
import { type Erased, type Erasing, retention as original } from '../../../../workflows/controls/retention'

const { eraseBankEvents } = proxyActivities<RetentionActivities>({ startToCloseTimeout: '1 minute' })

export async function retention(erasing: Erasing): Promise<Erased> {
  await eraseBankEvents({ limit: 1 })
  return original(erasing)
}
