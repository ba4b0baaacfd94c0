// Seals a batch, and says in the log what the chain's head is now: kept outside of the database, it shows later whether it was made anew.
import { sealRows } from '../../../db/controls/audit/seal'
import type { AuditDeps } from './deps'

export async function sealAudit({ db, clock, log }: AuditDeps, { limit }: { readonly limit: number }): Promise<number> {
  const sealed = await db.transaction((tx) => sealRows(tx, { at: clock.now(), limit }))
  if (sealed === null || sealed.rows === 0) return 0
  log.info({ links: String(sealed.links), audit_head: sealed.head }, 'the audit chain has grown')
  return sealed.rows
}
