// The step that seals the audit chain, bound to what it acts upon.
import type { Clock } from '../../clock'
import { sealRows } from '../../db/audit-seal'
import type { Db } from '../../db/database'
import type { AuditSteps } from '../../workflows/audit-steps'

export function createAuditSteps({ db, clock }: { readonly db: Db; readonly clock: Clock }): AuditSteps {
  return {
    sealAudit: async ({ limit }) => (await db.transaction((tx) => sealRows(tx, { at: clock.now(), limit })))?.rows ?? 0,
  }
}
