// The workflow as a careless change would leave it: it seals before it verifies.
import * as activities from '../../../../workflows/activities'
import type { AuditVerdict } from '../../../../workflows/controls/audit-steps'
import { verifyAudit as original } from '../../../../workflows/controls/verify-audit'

export async function verifyAudit(): Promise<AuditVerdict> {
  await activities.sealAudit({ limit: 1 })
  return original()
}
