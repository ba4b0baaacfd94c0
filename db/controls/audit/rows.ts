// A row of the ledger, of charges or of recorded changes as the text that is hashed: these bytes never change, or no landed link would hold.
import { createHash } from 'node:crypto'
import type { AuditedTable } from './audit-entity'

export function rowHashOf(rowText: string): Buffer {
  return createHash('sha256').update(rowText, 'utf8').digest()
}

/**
 * Column by column and with times as numbers, so that neither a later column nor a session's settings change a hash. Of
 * PostgreSQL's own parts only, by their full names: a function of ours could be replaced by one that lies. The texts of the first four
 * tables equal those of `audit_hash()` in db/migrations/010-019/14-audit.ts, which is no longer used.
 */
export const rowTextOf: Readonly<Record<AuditedTable, (row: string) => string>> = {
  ledger_sets: (r) =>
    textOf(`'ledger_sets', ${r}.id, ${r}.wallet_id, ${r}.cause, ${r}.cause_ref, ${r}.payout_id, ${r}.bank_ref, ${r}.created_by,
      extract(epoch FROM ${r}.created_at)`),
  ledger_entries: (r) =>
    textOf(`'ledger_entries', ${r}.id, ${r}.set_id, ${r}.account_id, ${r}.amount_micro_usdc, ${r}.balance_micro_usdc`),
  charges: (r) =>
    textOf(`'charges', ${r}.id, ${r}.partner_id, ${r}.kind, ${r}.cause_ref, ${r}.payout_id, ${r}.amount_micropounds,
      ${r}.month OPERATOR(pg_catalog.-) '2000-01-01'::pg_catalog.date, ${r}.description, extract(epoch FROM ${r}.created_at)`),
  activity: (r) =>
    textOf(`'activity', ${r}.id, ${r}.partner_id, extract(epoch FROM ${r}.at), ${r}.environment, ${r}.action, ${r}.changes,
      ${r}.status, ${r}.made_by, ${r}.detail, ${r}.request_id`),
  ledger_accounts: (r) => textOf(`'ledger_accounts', ${r}.id, ${r}.wallet_id, ${r}.kind, ${r}.currency`),
}

/** The row's id in a link. Whatever somebody has written into a link: what is no id finds no row. */
export const uuidIn = (link: string, table: AuditedTable) =>
  `CASE WHEN ${link}.table_name = '${table}' AND ${link}.row_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    THEN ${link}.row_id::uuid END`
export const numberIn = (link: string, table: AuditedTable) =>
  `CASE WHEN ${link}.table_name = '${table}' AND ${link}.row_id ~ '^[0-9]{1,18}$' THEN ${link}.row_id::bigint END`

function textOf(columns: string): string {
  return `pg_catalog.jsonb_build_array(${columns})::pg_catalog.text`
}
