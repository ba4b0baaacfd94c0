// The workflow after a careless change: it erases before it seals.
import { proxyActivities } from '@temporalio/workflow'
import { sealAudit as original, type Sealing } from '../../../../workflows/controls/audit'
import type { RetentionActivities } from '../../../../workflows/controls/retention'

const { eraseRecipients } = proxyActivities<RetentionActivities>({ startToCloseTimeout: '1 minute' })

export async function sealAudit(sealing: Sealing): Promise<number> {
  await eraseRecipients({ limit: 1 })
  return original(sealing)
}
