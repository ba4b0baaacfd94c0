// Results of the nightly audit chain verifications. The next verification checks the chain against the head of the
// last one without a fault, and the results show whether a fault is new.
import { IsNull } from 'typeorm'
import { bigint, bytes, entity, id, orNull, text, time } from '../../columns'
import type { Db, Tx } from '../../database'
import { newId } from '../../id'
import type { AuditedTable } from './rows'
import { type AuditFault, type FirstFault, type Verified, verifyAudit } from './verify'

interface AuditVerificationRow {
  readonly id: string
  readonly verifiedAt: Date
  readonly links: bigint
  readonly head: Buffer
  readonly fault: AuditFault | null
  readonly sequence: bigint | null
  readonly tableName: AuditedTable | null
  readonly rowId: string | null
}

export const auditVerification = entity<AuditVerificationRow>('AuditVerification', 'audit_verifications', {
  id,
  verifiedAt: time,
  links: bigint,
  head: bytes,
  fault: orNull(text),
  sequence: orNull(bigint),
  tableName: orNull(text),
  rowId: orNull(text),
})

/** Compares the chain with the head of the last successful verification, which detects a chain rebuilt since then. */
export async function verifySinceLast(db: Db): Promise<Verified> {
  const last = await db.repo(auditVerification).findOne({ where: { fault: IsNull() }, order: { verifiedAt: 'DESC' } })
  return verifyAudit(db, last?.head.toString('hex') ?? null)
}

/** Returns `no_new_fault` if there is no fault or if the previous verification found the same one. */
export async function recordVerification(
  tx: Tx,
  { links, head, fault }: Verified,
  at: Date,
): Promise<'new_fault' | 'no_new_fault'> {
  const before = await tx.repo(auditVerification).findOne({ where: {}, order: { verifiedAt: 'DESC' } })
  await tx.repo(auditVerification).insert({
    id: newId(at),
    verifiedAt: at,
    links,
    head: Buffer.from(head, 'hex'),
    fault: fault?.what ?? null,
    sequence: fault?.sequence ?? null,
    tableName: fault?.table ?? null,
    rowId: fault?.rowId ?? null,
  })
  return fault === null || isSame(fault, before) ? 'no_new_fault' : 'new_fault'
}

/**
 * Ignores the sequence, because a missing head is reported after the last link, and the chain grows between
 * verifications.
 */
function isSame({ what, table, rowId }: FirstFault, before: AuditVerificationRow | null): boolean {
  return what === before?.fault && table === before.tableName && rowId === before.rowId
}
