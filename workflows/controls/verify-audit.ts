// Follows the audit chain from its beginning, once a day.
import * as activities from '../activities'
import type { AuditVerdict } from './audit-steps'

export async function verifyAudit(): Promise<AuditVerdict> {
  return activities.verifyAudit()
}
