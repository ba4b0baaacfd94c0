// The text of an audited row that is hashed. Its bytes must never change: every stored hash depends on them.
import { createHash } from 'node:crypto'
import { type Sql, sql } from '../../sql'

export type AuditedTable = 'ledger_sets' | 'ledger_entries' | 'charges' | 'activity' | 'ledger_accounts'

export function rowHashOf(rowText: string): Buffer {
  return createHash('sha256').update(rowText, 'utf8').digest()
}

/**
 * Column by column and with times as numbers, so that neither a later column nor a session's settings change a hash. It uses
 * PostgreSQL's own functions by their full names only, because our own functions could be replaced.
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

/** The tables' names as constants of a statement, on which its plan depends. */
export const nameOf: Readonly<Record<AuditedTable, Sql>> = {
  ledger_sets: sql`'ledger_sets'`,
  ledger_entries: sql`'ledger_entries'`,
  charges: sql`'charges'`,
  activity: sql`'activity'`,
  ledger_accounts: sql`'ledger_accounts'`,
}

/** The row id in `link`. Null if the text is not a valid id, because a link can be forged. */
export function uuidIn(table: AuditedTable): Sql {
  return sql`CASE WHEN link.table_name = ${nameOf[table]} AND link.row_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    THEN link.row_id::uuid END`
}

/** The same for numeric ids. */
export function numberIn(table: AuditedTable): Sql {
  return sql`CASE WHEN link.table_name = ${nameOf[table]} AND link.row_id ~ '^[0-9]{1,18}$' THEN link.row_id::bigint END`
}

function textOf(columns: Sql): Sql {
  return sql`pg_catalog.jsonb_build_array(${columns})::pg_catalog.text`
}
