// The table of the audit chain, which only ever grows.
import { EntitySchema } from 'typeorm'
import { bigint, bytes, text, time } from './columns'

export type AuditedTable = 'ledger_sets' | 'ledger_entries' | 'charges' | 'activity'

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
  uniques: [{ name: 'audit_chain_row_unique', columns: ['tableName', 'rowId'] }],
  checks: [
    {
      name: 'audit_chain_table_check',
      expression: `table_name IN ('ledger_sets', 'ledger_entries', 'charges', 'activity')`,
    },
    { name: 'audit_chain_hash_check', expression: 'length(row_hash) = 32 AND length(chain_hash) = 32' },
  ],
})
