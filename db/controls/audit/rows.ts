// Builds the text that is hashed for an audited row. Its bytes must never change, because stored hashes depend on them.
import { createHash } from 'node:crypto'
import { type Sql, sql } from '../../sql'

export type AuditedTable = 'ledger_sets' | 'ledger_entries' | 'charges' | 'activity' | 'ledger_accounts'

export function rowHashOf(rowText: string): Buffer {
  return createHash('sha256').update(rowText, 'utf8').digest()
}

/**
 * Lists every column and writes times as numbers, so that neither a new column nor session settings change a hash.
 * Calls only PostgreSQL's own functions, by qualified name, because our own functions could be replaced.
 */
export const rowTextOf: Readonly<Record<AuditedTable, (row: Sql) => Sql>> = {
  ledger_sets: (r) =>
    textOf(sql`'ledger_sets', ${r}.id, ${r}.wallet_id, ${r}.cause, ${r}.cause_ref, ${r}.payout_id, ${r}.bank_ref, ${r}.created_by,
      extract(epoch FROM ${r}.created_at)`),
  ledger_entries: (r) =>
    textOf(
      sql`'ledger_entries', ${r}.id, ${r}.set_id, ${r}.account_id, ${r}.amount_micro_usdc, ${r}.balance_micro_usdc`,
    ),
  charges: (r) =>
    textOf(sql`'charges', ${r}.id, ${r}.partner_id, ${r}.kind, ${r}.cause_ref, ${r}.payout_id, ${r}.amount_micropounds,
      ${r}.month OPERATOR(pg_catalog.-) '2000-01-01'::pg_catalog.date, ${r}.description, extract(epoch FROM ${r}.created_at)`),
  activity: (r) =>
    textOf(sql`'activity', ${r}.id, ${r}.partner_id, extract(epoch FROM ${r}.at), ${r}.environment, ${r}.action, ${r}.changes,
      ${r}.status, ${r}.made_by, ${r}.detail, ${r}.request_id`),
  ledger_accounts: (r) => textOf(sql`'ledger_accounts', ${r}.id, ${r}.wallet_id, ${r}.kind, ${r}.currency`),
}

/** The table names as SQL literals, not parameters, because the query plan depends on them. */
export const nameOf: Readonly<Record<AuditedTable, Sql>> = {
  ledger_sets: sql`'ledger_sets'`,
  ledger_entries: sql`'ledger_entries'`,
  charges: sql`'charges'`,
  activity: sql`'activity'`,
  ledger_accounts: sql`'ledger_accounts'`,
}

/** The row ID in `link`, or null if the text is not a valid UUID. A forged link could contain any text. */
export function linkRowUuid(table: AuditedTable): Sql {
  return sql`CASE WHEN link.table_name = ${nameOf[table]} AND link.row_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    THEN link.row_id::uuid END`
}

/** The numeric row ID in `link`, or null if the text is not a valid number. */
export function linkRowNumber(table: AuditedTable): Sql {
  return sql`CASE WHEN link.table_name = ${nameOf[table]} AND link.row_id ~ '^[0-9]{1,18}$' THEN link.row_id::bigint END`
}

function textOf(columns: Sql): Sql {
  return sql`pg_catalog.jsonb_build_array(${columns})::pg_catalog.text`
}
