// The tables of the audit chain: its links, how far nothing can come in any more, and what verifying has found.
import { EntitySchema } from 'typeorm'
import { bigint, bytes, id, integer, orNull, text, time } from '../../columns'

export type AuditedTable = 'ledger_sets' | 'ledger_entries' | 'charges' | 'activity' | 'ledger_accounts'

export type AuditFault =
  | 'row_changed'
  | 'row_missing'
  | 'row_unsealed'
  | 'link_changed'
  | 'link_missing'
  | 'head_missing'

export interface AuditLink {
  readonly sequence: bigint
  readonly tableName: AuditedTable
  readonly rowId: string
  readonly rowHash: Buffer
  readonly chainHash: Buffer
  readonly sealedAt: Date
}

export const auditLink = new EntitySchema<AuditLink>({
  name: 'AuditLink',
  tableName: 'audit_chain',
  columns: {
    sequence: { ...bigint, primary: true },
    tableName: text,
    rowId: text,
    rowHash: bytes,
    chainHash: bytes,
    sealedAt: time,
  },
})

export interface AuditProgress {
  readonly id: number
  readonly passedTo: bigint
  readonly nextTo: bigint
  readonly nextBefore: bigint
  readonly nextAt: Date
}

export const auditProgress = new EntitySchema<AuditProgress>({
  name: 'AuditProgress',
  tableName: 'audit_progress',
  columns: {
    id: { ...integer, primary: true },
    passedTo: bigint,
    nextTo: bigint,
    nextBefore: bigint,
    nextAt: time,
  },
})

export interface AuditVerification {
  readonly id: string
  readonly verifiedAt: Date
  readonly links: bigint
  readonly head: Buffer
  readonly fault: AuditFault | null
  readonly sequence: bigint | null
  readonly tableName: AuditedTable | null
  readonly rowId: string | null
}

export const auditVerification = new EntitySchema<AuditVerification>({
  name: 'AuditVerification',
  tableName: 'audit_verifications',
  columns: {
    id,
    verifiedAt: time,
    links: bigint,
    head: bytes,
    fault: orNull(text),
    sequence: orNull(bigint),
    tableName: orNull(text),
    rowId: orNull(text),
  },
})
