// Lists a partner's recipients: the payouts of the last 12 months, grouped by bank account. Reads totals that triggers
// maintain.

import { bigint, bytes, date, entity, integer, orNull, primary, text, time, uuid } from '../../columns'
import type { Queryable } from '../../database'
import { literal, type Sql, sql } from '../../sql'
import type { Page, Scope } from '../payouts'

interface LastTimes {
  readonly lastCreatedAt: Date | null
  readonly lastCompletedAt: Date | null
  /** When the payout that completed last was created. */
  readonly paidCreatedAt: Date | null
}

interface RecipientMonthRow extends LastTimes {
  readonly partnerId: string
  readonly environment: string
  readonly accountHash: Buffer
  /** The month, in London time, in which the payouts were created. */
  readonly month: string
  readonly payouts: number
  readonly completed: number
  readonly paidPence: bigint
}

export const recipientMonth = entity<RecipientMonthRow>('RecipientMonth', 'recipient_months', {
  partnerId: primary(uuid),
  environment: primary(text),
  accountHash: primary(bytes),
  month: primary(date),
  payouts: integer,
  completed: integer,
  paidPence: bigint,
  lastCreatedAt: orNull(time),
  lastCompletedAt: orNull(time),
  paidCreatedAt: orNull(time),
})

interface RecipientTotalRow extends LastTimes {
  readonly partnerId: string
  readonly environment: string
  readonly accountHash: Buffer
  readonly lastCreatedAt: Date
  /** The latest completion, or the latest creation while no payout has completed. */
  readonly lastPaidAt: Date
}

export const recipientTotal = entity<RecipientTotalRow>('RecipientTotal', 'recipient_totals', {
  partnerId: primary(uuid),
  environment: primary(text),
  accountHash: primary(bytes),
  lastCreatedAt: time,
  lastCompletedAt: orNull(time),
  paidCreatedAt: orNull(time),
  lastPaidAt: time,
})

export interface RecipientRow {
  /** The newest payout to the recipient, used as the list's cursor. */
  readonly payoutId: string
  readonly name: string | null
  readonly accountLast4: string | null
  /** `payouts` and `paidPence` include only completed payouts. */
  readonly payouts: number
  readonly paidPence: bigint
  readonly lastPaidAt: Date
}

/** Lists the most recently paid recipient first. `startingAfter` must be the ID of a payout that `findPayout` finds. */
export async function listRecipients(
  db: Queryable,
  scope: Scope,
  { take, startingAfter }: Page,
  now: Date,
): Promise<RecipientRow[]> {
  const { partnerId, environment } = scope
  const cutoff = cutoffAt(now)
  // The last completed payout of these few recipients is older than 12 months, but they have a newer payout from within
  // the 12 months. A separate statement finds them, because PostgreSQL expects many of them and would plan the query of
  // the list again for every request.
  const odd = await db.sql<{ accountHash: Buffer }>`SELECT account_hash FROM recipient_totals
    WHERE partner_id = ${partnerId} AND environment = ${environment} AND paid_created_at < ${cutoff}
      AND last_created_at > paid_created_at AND last_created_at >= ${cutoff}`
  const oddHashes = odd.map(({ accountHash }) => accountHash)
  return db.run(selectPage({ scope, now, oddHashes, take, startingAfter }))
}

interface Wanted extends Page {
  readonly scope: Scope
  readonly now: Date
  readonly oddHashes: readonly Buffer[]
}

// A recipient without a completed payout is sorted by the creation time of its latest payout. The totals row has the
// right time, except for the recipients in `oddHashes`, whose times are computed one by one. A payout remains a valid
// cursor after it fails. The cursor uses two scalar subqueries, because PostgreSQL uses no index for a comparison with
// a subquery of two columns. Names are read for one page only. The page size is part of the statement text, because
// PostgreSQL would otherwise plan for a tenth of all rows.
function selectPage({ scope, now, oddHashes, take, startingAfter }: Wanted): Sql {
  const { partnerId, environment } = scope
  const cutoff = cutoffAt(now)
  const isBehind =
    startingAfter === null
      ? sql`true`
      : sql`(last_paid_at, account_hash) < ((SELECT last_paid_at FROM before), (SELECT account_hash FROM before))`
  const before =
    startingAfter === null
      ? sql``
      : sql`, before AS (
      SELECT coalesce(odd.last_paid_at, t.last_paid_at, p.completed_at, p.created_at) AS last_paid_at, p.account_hash
      FROM payouts p
      LEFT JOIN recipient_totals t ON t.partner_id = ${partnerId} AND t.environment = ${environment}
        AND t.account_hash = p.account_hash AND t.last_created_at >= ${cutoff}
      LEFT JOIN odd ON odd.account_hash = p.account_hash
      WHERE p.id = ${startingAfter}
    )`
  return sql`WITH odd AS (
      SELECT t.account_hash, coalesce(seen.last_completed_at, t.last_created_at) AS last_paid_at
      FROM recipient_totals t CROSS JOIN LATERAL ${inWindow(scope, now, sql`t.account_hash`)} seen
      WHERE t.partner_id = ${partnerId} AND t.environment = ${environment} AND t.account_hash = ANY (${oddHashes}::bytea[])
    )${before}, first AS (
      SELECT account_hash, last_paid_at FROM recipient_totals
      WHERE partner_id = ${partnerId} AND environment = ${environment} AND last_created_at >= ${cutoff}
        AND (paid_created_at IS NULL OR paid_created_at >= ${cutoff})
        AND ${isBehind}
      ORDER BY last_paid_at DESC, account_hash DESC LIMIT ${literal(take)}
    ), page AS (
      SELECT * FROM first
      UNION ALL
      SELECT * FROM odd WHERE ${isBehind}
      ORDER BY last_paid_at DESC, account_hash DESC LIMIT ${literal(take)}
    )
    SELECT latest.id AS payout_id, latest.recipient_name AS name, latest.account_last4, seen.payouts, seen.paid_pence,
      page.last_paid_at
    FROM page CROSS JOIN LATERAL ${inWindow(scope, now, sql`page.account_hash`)} seen CROSS JOIN LATERAL (
      SELECT p.id, p.recipient_name, p.account_last4 FROM payouts p
      WHERE ${counts(scope)} AND p.account_hash = page.account_hash AND p.created_at >= ${cutoff}
      ORDER BY p.created_at DESC, p.id DESC LIMIT 1
    ) AS latest
    ORDER BY page.last_paid_at DESC, page.account_hash DESC`
}

/**
 * Sums one recipient's completed payouts that were created in the last 12 months. Reads whole months from the totals,
 * and counts the payouts of the first, partial month.
 */
function inWindow(scope: Scope, now: Date, accountHash: Sql): Sql {
  const { partnerId, environment } = scope
  const cutoff = cutoffAt(now)
  const monthAfterCutoff = sql`(london_month(${cutoff}) + interval '1 month')::date`
  return sql`(
      SELECT coalesce(sum(completed), 0)::integer AS payouts, coalesce(sum(paid_pence), 0)::bigint AS paid_pence,
        max(last_completed_at) AS last_completed_at
      FROM (
        SELECT completed, paid_pence, last_completed_at FROM recipient_months m
        WHERE m.partner_id = ${partnerId} AND m.environment = ${environment} AND m.account_hash = ${accountHash}
          AND m.month >= ${monthAfterCutoff}
        UNION ALL
        SELECT count(*), coalesce(sum(p.amount_pence), 0), max(p.completed_at) FROM payouts p
        WHERE ${counts(scope)} AND p.account_hash = ${accountHash} AND p.status = 'completed' AND p.created_at >= ${cutoff}
          AND p.created_at < london_month_start(${monthAfterCutoff})
      ) parts
    )`
}

function counts({ partnerId, environment }: Scope): Sql {
  return sql`p.partner_id = ${partnerId} AND p.environment = ${environment} AND p.released_at IS NULL
  AND (p.verdict_at IS NOT NULL OR p.answered_at IS NOT NULL) AND p.status NOT IN ('failed', 'cancelled')
  AND p.account_hash IS NOT NULL`
}

function cutoffAt(now: Date): Sql {
  return sql`(${now}::timestamptz - interval '12 months')`
}
