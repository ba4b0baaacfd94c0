// The position in each table before which no unsealed row can appear anymore. Sealers search only the rows after it.
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
 * A transaction can reserve a row number and commit long after higher numbers were sealed. A link therefore counts as
 * passed only under two conditions. First, every transaction that was writing when the link was sealed had ended
 * before a later sealer ran. Second, that sealer sealed every row that it found. This needs no privilege, because
 * every role can see the IDs of running transactions. A transaction reserves a row number a moment before it gets its
 * transaction ID. The five minutes cover that gap.
 */
export async function movePassed(tx: Tx, seen: { horizon: bigint; sequence: bigint; at: Date }): Promise<void> {
  // The sealer's own transaction ID is higher than all earlier ones on this server. If the stored next_before is even
  // higher, it comes from another server, from which the database was moved.
  await tx.sql`INSERT INTO audit_progress AS known (id, passed_to, next_to, next_before, next_at)
    VALUES (1, 0, ${seen.sequence}, pg_current_xact_id()::text::bigint, ${seen.at})
    ON CONFLICT (id) DO UPDATE SET
      passed_to = CASE WHEN known.next_before <= ${seen.horizon} THEN known.next_to ELSE known.passed_to END,
      next_to = excluded.next_to, next_before = excluded.next_before, next_at = excluded.next_at
    WHERE (known.next_before <= ${seen.horizon} AND known.next_at < excluded.next_at - interval '5 minutes')
      OR known.next_before > excluded.next_before`
}

/** Returns the horizon: all transactions with a lower ID have ended, and their rows are visible. */
export async function horizonNow(tx: Tx): Promise<bigint> {
  const [row] = await tx.sql<{
    horizon: bigint
  }>`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon`
  return row?.horizon ?? 0n
}

/** Matches the rows that a sealer searches. Any other unsealed row will never be sealed. */
export const isAhead = {
  ledger_entries: (entry: Sql) => sql`${entry}.id > ${numberPassed('ledger_entries')}`,
  charges: (charge: Sql) => sql`${charge}.created_at > ${chargesPassed}`,
  activity: (change: Sql) => sql`${change}.id > ${numberPassed('activity')}`,
  wallets: (wallet: Sql) => sql`${wallet}.created_at > ${accountsPassed}`,
} as const

/** Returns 0 if no row was passed. A number that is too low is safe, but makes the sealer search more rows. */
function numberPassed(table: AuditedTable): Sql {
  return sql`coalesce((SELECT ${linkRowNumber(table)} FROM audit_chain link ${isPassedLinkOf(table)} LIMIT 1), 0)`
}

function isPassedLinkOf(table: AuditedTable): Sql {
  return sql`WHERE link.table_name = ${nameOf[table]}
    AND link.sequence <= (SELECT coalesce(max(passed_to), 0) FROM audit_progress) ORDER BY link.sequence DESC`
}

// Charges have no increasing number, so their position is one day before the last passed charge. Ledger accounts have
// no creation time, so their position is seven days before the creation of the last passed account's wallet.
const chargesPassed = sql`coalesce((SELECT charge.created_at - interval '1 day' FROM audit_chain link
  JOIN charges charge ON charge.id = ${linkRowUuid('charges')} ${isPassedLinkOf('charges')} LIMIT 1), '-infinity')`
const accountsPassed = sql`coalesce((SELECT wallet.created_at - interval '7 days' FROM audit_chain link
  JOIN ledger_accounts account ON account.id = ${linkRowUuid('ledger_accounts')}
  JOIN wallets wallet ON wallet.id = account.wallet_id ${isPassedLinkOf('ledger_accounts')} LIMIT 1), '-infinity')`
