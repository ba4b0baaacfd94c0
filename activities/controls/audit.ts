// Extends the audit chain and verifies it.
import { sealRows } from '../../db/controls/audit/seal'
import { recordVerification, verifySinceLast } from '../../db/controls/audit/verifications'
import type { FirstFault } from '../../db/controls/audit/verify'
import { enqueueNotice } from '../../db/partners/mails'
import { auditMessage } from '../../mail/messages/operators'
import type { AuditVerdict } from '../../workflows/controls/audit'
import type { ActivityDeps } from '../bind'

type Deps = Pick<ActivityDeps, 'db' | 'clock' | 'log' | 'keyring' | 'opsEmail'>

/** Logs the head of the chain. This copy outside the database reveals a chain that was rebuilt later. */
export async function sealAudit(
  { db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>,
  { limit }: { readonly limit: number },
): Promise<number> {
  const sealed = await db.transaction((tx) => sealRows(tx, { at: clock.now(), limit }))
  if (sealed === null || sealed.rows === 0) return 0
  log.info({ links: String(sealed.links), audit_head: sealed.head }, 'the audit chain has grown')
  return sealed.rows
}

/** Logs a fault on every run, and emails it to the operators once. */
export async function verifyAudit({ db, clock, keyring, log, opsEmail }: Deps): Promise<AuditVerdict> {
  const verified = await verifySinceLast(db)
  const { fault, head } = verified
  const links = String(verified.links)
  if (fault === null) log.info({ links, audit_head: head }, 'the audit chain is valid')
  else log.error({ links, ...plain(fault) }, 'the audit chain is broken')
  const at = clock.now()
  await db.transaction(async (tx) => {
    const recorded = await recordVerification(tx, verified, at)
    if (fault === null || recorded === 'no_new_fault' || opsEmail === null) return
    const mail = auditMessage({ address: opsEmail, fault })
    await enqueueNotice(tx, keyring, { mail, at })
  })
  return { links, head, fault: fault?.what ?? null }
}

function plain({ what, sequence, table, rowId }: FirstFault) {
  return { fault: what, sequence: sequence === null ? null : String(sequence), table, row_id: rowId }
}
