// What is in no link: young rows that wait for the sealer, and rows that it will never find because they came in behind its back.

import type { Statement, Tx } from '../../database'
import type { AuditedTable } from './audit-entity'
import { isAhead } from './progress'

export interface UnsealedRows {
  readonly table: AuditedTable
  readonly count: number
  /** One of those that lie before what was sealed, where nothing can come in any more; null where there is none. */
  readonly forgottenId: string | null
}

/** Looks through all rows there are, which takes its time. */
export async function findUnsealed(tx: Tx): Promise<UnsealedRows[]> {
  return tx.query<UnsealedRows>(select, [])
}

export const unsealedMs = 600_000

const unsealedOf = (table: AuditedTable, isWaiting: string, which = 'true') => `
  SELECT '${table}' AS table, count(*)::integer AS count,
    min(r.id::text) FILTER (WHERE NOT (${isWaiting})) AS "forgottenId"
  FROM ${table} r WHERE ${which}
    AND NOT EXISTS (SELECT FROM audit_chain c WHERE c.table_name = '${table}' AND c.row_id = r.id::text)`

const select: Statement = {
  name: 'audit-tail',
  answerMs: unsealedMs + 2_000,
  text: [
    unsealedOf('ledger_accounts', `(SELECT ${isAhead.wallets('w')} FROM wallets w WHERE w.id = r.wallet_id) IS TRUE`),
    // A set is found by its entries.
    unsealedOf(
      'ledger_sets',
      `EXISTS (SELECT FROM ledger_entries e WHERE e.set_id = r.id AND ${isAhead.ledger_entries('e')})`,
    ),
    unsealedOf('ledger_entries', isAhead.ledger_entries('r')),
    unsealedOf('charges', isAhead.charges('r')),
    unsealedOf('activity', isAhead.activity('r'), 'r.changes'),
  ].join(' UNION ALL '),
}
