// The steps of the audit chain, bound to what they act upon.
import type { AuditSteps } from '../../../workflows/controls/audit-steps'
import type { AuditDeps } from './deps'
import { sealAudit } from './seal'
import { verifyAudit } from './verify'

export function createAuditSteps(deps: AuditDeps): AuditSteps {
  return {
    sealAudit: (batch) => sealAudit(deps, batch),
    verifyAudit: () => verifyAudit(deps),
  }
}
