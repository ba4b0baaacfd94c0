// The workflow after a careless change: it seals before it verifies.
import { proxyActivities } from '@temporalio/workflow'
import {
  type AuditVerdict,
  verifyAudit as original,
  type SealAuditActivities,
} from '../../../../workflows/controls/audit'

const { sealAudit } = proxyActivities<SealAuditActivities>({ startToCloseTimeout: '1 minute' })

export async function verifyAudit(): Promise<AuditVerdict> {
  await sealAudit({ limit: 1 })
  return original()
}
