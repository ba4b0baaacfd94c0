// Follows the whole audit chain, keeps what it found, and tells ops of a fault: in the log each time, by mail once.
import { recordVerification, verifySinceLast } from '../../../db/controls/audit/verifications'
import type { FirstFault } from '../../../db/controls/audit/verify'
import { enqueueMail } from '../../../db/partners/mails'
import { auditMessage } from '../../../mail/messages/audit'
import type { AuditVerdict } from '../../../workflows/controls/audit-steps'
import type { AuditDeps } from './deps'

/** After this nobody wants the mail any more. */
const keepForMs = 3 * 24 * 60 * 60 * 1000

export async function verifyAudit(deps: AuditDeps): Promise<AuditVerdict> {
  const { db, clock, keyring, log, opsEmail } = deps
  const verified = await verifySinceLast(db)
  const { fault, head } = verified
  const links = String(verified.links)
  if (fault === null) log.info({ links, audit_head: head }, 'the audit chain holds')
  else log.error({ links, ...plain(fault) }, 'the audit chain does not hold')
  const at = clock.now()
  await db.transaction(async (tx) => {
    const told = await recordVerification(tx, verified, at)
    if (fault === null || told === 'no_news' || opsEmail === null) return
    const mail = auditMessage({ address: opsEmail, fault })
    await enqueueMail(tx, keyring, { kind: 'notice', mail, at, expiresAt: new Date(at.getTime() + keepForMs) })
  })
  return { links, head, fault: fault?.what ?? null }
}

function plain({ what, sequence, table, rowId }: FirstFault) {
  return { fault: what, sequence: sequence === null ? null : String(sequence), table, row_id: rowId }
}
