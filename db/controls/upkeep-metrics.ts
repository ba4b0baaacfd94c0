// Whether what happens by the clock still happens: told by what it leaves undone, since one that does not run tells nothing.
import type { Environment } from '../../domain/environment'
import { londonMonthOf, previousMonth } from '../../domain/month'
import type { Queryable, Statement } from '../database'
import { countNotBilled } from '../invoices/partners-to-bill'
import type { MailKind } from '../partners/mails'
import { dueRecipients, dueRegistrations, firstIdAt, isErasableEvent, type RetentionDays } from './retention'

export interface Upkeep {
  readonly left: readonly LeftUndone[]
  /** Partners whose last month has no invoice and should have one. */
  readonly notBilled: number
}

/**
 * The wallet, other than idle sandboxes, that the proof has not looked at for the longest; the last look at the audit chain, and whether it found a fault;
 * what waits to be sealed, mailed, or erased since it should have been.
 */
export type LeftUndone = { readonly count: number; readonly ageSeconds: number } & (
  | { readonly work: 'prove'; readonly sort: Environment }
  | { readonly work: 'seal'; readonly sort: null }
  | { readonly work: 'verify'; readonly sort: null }
  | { readonly work: 'mail'; readonly sort: MailKind | 'invoice' }
  | { readonly work: 'erase'; readonly sort: ErasedKind }
)

export const erasedKinds = ['recipients', 'bank_events'] as const
export type ErasedKind = (typeof erasedKinds)[number]

export async function readUpkeep(
  db: Queryable,
  { now, retention }: { readonly now: Date; readonly retention: RetentionDays },
): Promise<Upkeep> {
  const ago = (days: number) => new Date(now.getTime() - days * dayMs)
  const [recipients, events] = [ago(retention.recipientDays), ago(retention.bankEventDays)]
  const values = [now, recipients, firstIdAt(recipients), events, firstIdAt(events)]
  const [left, notBilled] = await Promise.all([
    db.query<LeftUndone>(selectLeft, values),
    countNotBilled(db, previousMonth(londonMonthOf(now))),
  ])
  return { left, notBilled }
}

const dayMs = 24 * 60 * 60 * 1000

const age = (since: string, until = '$1') =>
  `greatest(0, extract(epoch FROM ${until}::timestamptz - ${since}))::float8 AS "ageSeconds"`

const isUnsealed = (table: string) =>
  `NOT EXISTS (SELECT FROM audit_chain link WHERE link.table_name = '${table}' AND link.row_id = r.id::text)`

/** Ids of ledger sets begin with their time (id.ts). */
const firstIdSince = (at: string) =>
  `rpad(lpad(to_hex(floor(extract(epoch FROM ${at}) * 1000)::bigint), 12, '0'), 32, '0')::uuid`

/**
 * Only what is younger than the last seal is looked at, and each by an index: the sealer takes all there is, or nothing. Changes
 * have none by time, so only the last of them are looked at.
 */
const unsealed = `WITH sealed AS MATERIALIZED
    (SELECT coalesce((SELECT sealed_at FROM audit_chain ORDER BY sequence DESC LIMIT 1), 'epoch') AS at)
  SELECT at FROM (
    (SELECT r.created_at AS at FROM ledger_sets r
      WHERE r.id > (SELECT ${firstIdSince('at')} FROM sealed) AND ${isUnsealed('ledger_sets')} ORDER BY r.id LIMIT 1)
    UNION ALL
    (SELECT r.created_at FROM charges r
      WHERE r.created_at > (SELECT at FROM sealed) AND ${isUnsealed('charges')} ORDER BY r.created_at LIMIT 1)
    UNION ALL
    (SELECT r.at FROM activity r WHERE r.id > (SELECT max(id) - 10000 FROM activity) AND r.changes
      AND r.at > (SELECT at FROM sealed) AND ${isUnsealed('activity')} ORDER BY r.id LIMIT 1)
  ) first`

// Mails that expired are wanted by nobody any more. Of an invoice that was paid nobody misses the mail.
const selectLeft: Statement = {
  name: 'figures-upkeep',
  text: `SELECT 'prove' AS work, w.environment AS sort, count(*)::integer AS count,
      ${age('min(coalesce(p.looked_at, w.created_at))')}
    FROM wallets w LEFT JOIN proofs p ON p.wallet_id = w.id WHERE p.outcome IS DISTINCT FROM 'idle'
    GROUP BY w.environment
    UNION ALL
    SELECT 'seal', NULL, count(*)::integer, ${age('min(at)')} FROM (${unsealed}) waiting HAVING count(*) > 0
    UNION ALL
    SELECT 'verify', NULL, count(fault)::integer,
      ${age('coalesce(max(verified_at), (SELECT sealed_at FROM audit_chain ORDER BY sequence LIMIT 1))')}
    FROM (SELECT verified_at, fault FROM audit_verifications ORDER BY verified_at DESC LIMIT 1) last
    UNION ALL
    SELECT 'mail', kind, count(*)::integer, ${age('min(created_at)')}
    FROM mails WHERE sealed IS NOT NULL AND expires_at > $1 GROUP BY kind
    UNION ALL
    SELECT 'mail', 'invoice', count(*)::integer, ${age('min(issued_at)')}
    FROM invoices WHERE status = 'open' AND mailed_at IS NULL HAVING count(*) > 0
    UNION ALL
    SELECT 'erase', 'recipients', count(*)::integer, ${age('min(since)', '$2')} FROM (
      (SELECT p.closed_at AS since FROM ${dueRecipients('$2', '$3')} ORDER BY s.payout_id LIMIT 1)
      UNION ALL
      (SELECT b.created_at FROM ${dueRegistrations('$2', '$3')} ORDER BY b.id LIMIT 1)
    ) due HAVING count(*) > 0
    UNION ALL
    (SELECT 'erase', 'bank_events', 1, ${age('received_at', '$4')}
    FROM bank_events WHERE id < $5::uuid AND received_at < $4 AND ${isErasableEvent} ORDER BY id LIMIT 1)`,
}
