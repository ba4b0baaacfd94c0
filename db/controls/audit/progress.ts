// How far each table is sealed so that nothing can come in before it any more: what lies behind is looked for, what lies before never again.

import type { Tx } from '../../database'
import type { AuditedTable } from './audit-entity'
import { numberIn, uuidIn } from './rows'

/**
 * A number may be taken by a transaction that commits long after higher ones were sealed. So a link counts as passed only when
 * every transaction that had begun to write by then was over before a later sealer looked, and that one took all it found. No
 * privilege is needed to know this: the numbers of running transactions are everybody's to see. A number is taken a moment before
 * its transaction has one of its own; the minutes are for that.
 */
export async function movePassed(tx: Tx, seen: { horizon: bigint; sequence: bigint; at: Date }): Promise<void> {
  // Its own number is above all that were given by now. A next_before above it is of another server, from which the database came.
  await tx.sql`INSERT INTO audit_progress AS known (id, passed_to, next_to, next_before, next_at)
    VALUES (1, 0, ${seen.sequence}, pg_current_xact_id()::text::bigint, ${seen.at})
    ON CONFLICT (id) DO UPDATE SET passed_to = CASE WHEN known.next_before <= ${seen.horizon} THEN known.next_to ELSE known.passed_to END,
      next_to = excluded.next_to, next_before = excluded.next_before, next_at = excluded.next_at
    WHERE (known.next_before <= ${seen.horizon} AND known.next_at < excluded.next_at - interval '5 minutes')
      OR known.next_before > excluded.next_before`
}

/** Of transactions: each with a lower number is over, and what it wrote is there for who looks now. */
export async function horizonNow(tx: Tx): Promise<bigint> {
  const [row] = await tx.sql<{
    horizon: bigint
  }>`SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon`
  return row?.horizon ?? 0n
}

const isPassedLinkOf = (table: AuditedTable) => `WHERE link.table_name = '${table}'
  AND link.sequence <= (SELECT coalesce(max(passed_to), 0) FROM audit_progress) ORDER BY link.sequence DESC`

/** A lower number is as good, and only looks at more. */
const numberPassed = (table: AuditedTable) => `coalesce((SELECT ${numberIn('link', table)} FROM audit_chain link
  ${isPassedLinkOf(table)} LIMIT 1), 0)`

/** Charges have no number that grows: a day before the last one that is passed. Accounts are as old as their wallet. */
const chargesPassed = `coalesce((SELECT charge.created_at - interval '1 day' FROM audit_chain link
  JOIN charges charge ON charge.id = ${uuidIn('link', 'charges')} ${isPassedLinkOf('charges')} LIMIT 1), '-infinity')`
const accountsPassed = `coalesce((SELECT wallet.created_at - interval '7 days' FROM audit_chain link
  JOIN ledger_accounts account ON account.id = ${uuidIn('link', 'ledger_accounts')}
  JOIN wallets wallet ON wallet.id = account.wallet_id ${isPassedLinkOf('ledger_accounts')} LIMIT 1), '-infinity')`

/** What a sealer looks at; whatever else is not sealed never will be. */
export const isAhead = {
  ledger_entries: (entry: string) => `${entry}.id > ${numberPassed('ledger_entries')}`,
  charges: (charge: string) => `${charge}.created_at > ${chargesPassed}`,
  activity: (change: string) => `${change}.id > ${numberPassed('activity')}`,
  wallets: (wallet: string) => `${wallet}.created_at > ${accountsPassed}`,
} as const
