// Measures overdue scheduled work by its backlog, because a schedule that does not run reports nothing.
import type { Environment } from '../../domain/environment'
import { londonMonthOf, previousMonth } from '../../domain/month'
import type { Queryable } from '../database'
import { countNotBilled } from '../invoices/partners-to-bill'
import type { MailKind } from '../partners/mails'
import { type Sql, sql } from '../sql'
import { type AuditedTable, nameOf } from './audit/rows'
import { dueEvents, dueNotes, dueRecipients, dueRegistrations, type RetentionDays } from './retention'

export interface Upkeep {
  readonly left: readonly OverdueWork[]
  /** The number of partners that should have an invoice for last month but have none. */
  readonly notBilled: number
}

/**
 * `prove` has the age of the oldest wallet proof, ignoring idle sandboxes. `verify` has the age of the last audit chain
 * verification, and its count is 1 if that verification found a fault. The others have the count and age of the work
 * that is waiting to be sealed, mailed or erased.
 */
export type OverdueWork = { readonly count: number; readonly ageSeconds: number } & (
  | { readonly work: 'prove'; readonly sort: Environment }
  | { readonly work: 'seal'; readonly sort: null }
  | { readonly work: 'verify'; readonly sort: null }
  | { readonly work: 'mail'; readonly sort: MailKind | 'invoice' }
  | { readonly work: 'erase'; readonly sort: ErasedKind }
)

export const erasedKinds = ['recipients', 'bank_events'] as const
type ErasedKind = (typeof erasedKinds)[number]

export async function readUpkeep(
  db: Queryable,
  { now, retention }: { readonly now: Date; readonly retention: RetentionDays },
): Promise<Upkeep> {
  const [left, notBilled] = await Promise.all([
    listLeft(db, now, retention),
    countNotBilled(db, previousMonth(londonMonthOf(now))),
  ])
  return { left, notBilled }
}

async function listLeft(db: Queryable, now: Date, retention: RetentionDays): Promise<OverdueWork[]> {
  const ago = (days: number) => new Date(now.getTime() - days * dayMs)
  const [recipients, events] = [ago(retention.recipientDays), ago(retention.bankEventDays)]
  const age = (since: Sql, until = now) =>
    sql`greatest(0, extract(epoch FROM ${until}::timestamptz - ${since}))::float8 AS age_seconds`
  // Expired emails are no longer sent, and a paid invoice needs no email.
  return db.sql<OverdueWork>`SELECT 'prove' AS work, w.environment AS sort, count(*)::integer AS count,
      ${age(sql`min(coalesce(p.looked_at, w.created_at))`)}
    FROM wallets w LEFT JOIN proofs p ON p.wallet_id = w.id WHERE p.outcome IS DISTINCT FROM 'idle'
    GROUP BY w.environment
    UNION ALL
    SELECT 'seal', NULL, count(*)::integer, ${age(sql`min(at)`)} FROM (${unsealed}) waiting HAVING count(*) > 0
    UNION ALL
    SELECT 'verify', NULL, count(fault)::integer,
      ${age(sql`coalesce(max(verified_at), (SELECT sealed_at FROM audit_chain ORDER BY sequence LIMIT 1))`)}
    FROM (SELECT verified_at, fault FROM audit_verifications ORDER BY verified_at DESC LIMIT 1) last
    UNION ALL
    SELECT 'mail', kind, count(*)::integer, ${age(sql`min(created_at)`)}
    FROM mails WHERE sealed IS NOT NULL AND expires_at > ${now} GROUP BY kind
    UNION ALL
    SELECT 'mail', 'invoice', count(*)::integer, ${age(sql`min(issued_at)`)}
    FROM invoices WHERE status = 'open' AND mailed_at IS NULL HAVING count(*) > 0
    UNION ALL
    SELECT 'erase', 'recipients', count(*)::integer, ${age(sql`min(since)`, recipients)} FROM (
      (SELECT p.closed_at AS since FROM ${dueRecipients(recipients)} ORDER BY s.payout_id LIMIT 1)
      UNION ALL
      (SELECT b.created_at FROM ${dueRegistrations(recipients)} ORDER BY b.id LIMIT 1)
      UNION ALL
      (SELECT greatest(n.at, coalesce(p.closed_at, p.released_at)) FROM ${dueNotes(recipients)} ORDER BY n.id LIMIT 1)
    ) due HAVING count(*) > 0
    UNION ALL
    (SELECT 'erase', 'bank_events', 1, ${age(sql`received_at`, events)}
    FROM ${dueEvents(events)} ORDER BY id LIMIT 1)`
}

const dayMs = 24 * 60 * 60 * 1000

function isUnsealed(table: AuditedTable): Sql {
  return sql`NOT EXISTS (SELECT FROM audit_chain link WHERE link.table_name = ${nameOf[table]} AND link.row_id = r.id::text)`
}

/** The lowest possible ID of a ledger set created after the last seal, because IDs start with their time (id.ts). */
const firstIdSinceSeal = sql`rpad(lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0'), 32, '0')::uuid`

/**
 * Reads only rows that are newer than the last seal, which is enough because a sealer seals all older rows or none.
 * Each table is read through an index. The activity list has no index by time, so only its last 10,000 rows are read.
 */
const unsealed = sql`WITH sealed AS MATERIALIZED
    (SELECT coalesce((SELECT sealed_at FROM audit_chain ORDER BY sequence DESC LIMIT 1), 'epoch') AS at)
  SELECT at FROM (
    (SELECT r.created_at AS at FROM ledger_sets r
      WHERE r.id > (SELECT ${firstIdSinceSeal} FROM sealed) AND ${isUnsealed('ledger_sets')} ORDER BY r.id LIMIT 1)
    UNION ALL
    (SELECT r.created_at FROM charges r
      WHERE r.created_at > (SELECT at FROM sealed) AND ${isUnsealed('charges')} ORDER BY r.created_at LIMIT 1)
    UNION ALL
    (SELECT r.at FROM activity r WHERE r.id > (SELECT max(id) - 10000 FROM activity) AND r.changes
      AND r.at > (SELECT at FROM sealed) AND ${isUnsealed('activity')} ORDER BY r.id LIMIT 1)
  ) first`
