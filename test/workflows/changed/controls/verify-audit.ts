// The workflow after a careless change: it seals before it verifies.
import { proxyActivities } from '@temporalio/workflow'
import type { SealAuditActivities } from '../../../../workflows/controls/seal-audit'
import type { AuditVerdict } from '../../../../workflows/controls/verify-audit'
import { verifyAudit as original } from '../../../../workflows/controls/verify-audit'

const { sealAudit } = proxyActivities<SealAuditActivities>({ startToCloseTimeout: '1 minute' })

export async function verifyAudit(): Promise<AuditVerdict> {
  await sealAudit({ limit: 1 })
  return original()
}
