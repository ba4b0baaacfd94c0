// The position in each table before which no unsealed row can appear any more. Sealers search only after this position.
import { bigint, entity, integer, primary, time } from '../../columns'
import type { Tx } from '../../database'
import { type Sql, sql } from '../../sql'
import { type AuditedTable, linkRowNumber, linkRowUuid, nameOf } from './rows'

interface AuditProgressRow {
  readonly id: number
  readonly passedTo: bigint
  readonly nextTo: bigint
  readonly nextBefore: bigint
  readonly nextAt: Date
}

export const auditProgress = entity<AuditProgressRow>('AuditProgress', 'audit_progress', {
  id: primary(integer),
  passedTo: bigint,
  nextTo: bigint,
  nextBefore: bigint,
  nextAt: time,
})

/**
 * A transaction may take a row number and commit long after higher numbers were sealed. A link therefore counts as
 * passed only under two conditions. Every transaction that was writing at that time had ended before a later sealer
 * looked. That sealer took every row it found. This needs no privilege, because every role can see the IDs of running
 * transactions. A transaction takes a row number a moment before its transaction ID. The five minutes cover that
 * moment.
 */
export async function movePassed(tx: Tx, seen: { horizon: bigint; sequence: bigint; at: Date }): Promise<void> {
  // The sealer's own transaction ID is above all earlier ones. A higher next_before comes from a server that the
  // database was migrated from.
  await tx.sql`INSERT INTO audit_progress AS known (id, passed_to, next_to, next_before, next_at)
    VALUES (1, 0, ${seen.sequence}, pg_current_xact_id()::text::bigint, ${seen.at})
    ON CONFLICT (id) DO UPDATE SET
      passed_to = CASE WHEN known.next_before <= ${seen.horizon} THEN known.next_to ELSE known.passed_to END,
      next_to = excluded.next_to, next_before = excluded.next_before, next_at = excluded.next_at
    WHERE (known.next_before <= ${seen.horizon} AND known.next_at < excluded.next_at - interval '5 minutes')
      OR known.next_before > excluded.next_before`
}

/** Returns the horizon. All transactions with a lower ID have ended, and their rows are visible. */
export async function horizonNow(tx: Tx): Promise<bigint> {
  const [row] = await tx.sql<{
    horizon: bigint
  }>`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon`
  return row?.horizon ?? 0n
}

/** Matches the rows that a sealer looks at. Any other unsealed row will never be sealed. */
export const isAhead = {
  ledger_entries: (entry: Sql) => sql`${entry}.id > ${numberPassed('ledger_entries')}`,
  charges: (charge: Sql) => sql`${charge}.created_at > ${chargesPassed}`,
  activity: (change: Sql) => sql`${change}.id > ${numberPassed('activity')}`,
  wallets: (wallet: Sql) => sql`${wallet}.created_at > ${accountsPassed}`,
} as const

/** A lower number would also be correct, but the sealer would look at more rows. */
function numberPassed(table: AuditedTable): Sql {
  return sql`coalesce((SELECT ${linkRowNumber(table)} FROM audit_chain link ${isPassedLinkOf(table)} LIMIT 1), 0)`
}

function isPassedLinkOf(table: AuditedTable): Sql {
  return sql`WHERE link.table_name = ${nameOf[table]}
    AND link.sequence <= (SELECT coalesce(max(passed_to), 0) FROM audit_progress) ORDER BY link.sequence DESC`
}

// Charges have no increasing number, so their position is a day before the last passed charge. Accounts are as old as
// their wallet.
const chargesPassed = sql`coalesce((SELECT charge.created_at - interval '1 day' FROM audit_chain link
  JOIN charges charge ON charge.id = ${linkRowUuid('charges')} ${isPassedLinkOf('charges')} LIMIT 1), '-infinity')`
const accountsPassed = sql`coalesce((SELECT wallet.created_at - interval '7 days' FROM audit_chain link
  JOIN ledger_accounts account ON account.id = ${linkRowUuid('ledger_accounts')}
  JOIN wallets wallet ON wallet.id = account.wallet_id ${isPassedLinkOf('ledger_accounts')} LIMIT 1), '-infinity')`
