// Recipients of a partner: payouts of the last 12 months, grouped by bank account. Read from totals that triggers keep.
import type { Queryable, Statement } from '../../database'
import type { Page, Scope } from '../payouts'

export interface RecipientRow {
  /** One payout to the recipient, which stands for it as the cursor of a list. */
  readonly payoutId: string
  readonly name: string | null
  readonly accountLast4: string | null
  /** Completed ones only, as in paidPence. */
  readonly payouts: number
  readonly paidPence: bigint
  readonly lastPaidAt: Date
}

/** Last paid first; `startingAfter` must be the id of a payout that findPayout finds in the same scope. */
export async function listRecipients(
  db: Queryable,
  { partnerId, environment }: Scope,
  { take, startingAfter }: Page,
  now: Date,
): Promise<RecipientRow[]> {
  const odd = await db.query<{ accountHash: Buffer }>(selectOdd, [partnerId, environment, now])
  const values = [partnerId, environment, now, odd.map(({ accountHash }) => accountHash)]
  if (startingAfter === null) return db.query<RecipientRow>(selectFirst(take), values)
  return db.query<RecipientRow>(selectAfter(take), [...values, startingAfter])
}

const counts = `p.partner_id = $1 AND p.environment = $2 AND p.released_at IS NULL
  AND (p.verdict_at IS NOT NULL OR p.answered_at IS NOT NULL) AND p.status NOT IN ('failed', 'cancelled')
  AND p.account_hash IS NOT NULL`

const cutoff = `($3::timestamptz - interval '12 months')`
const monthAfterCutoff = `(london_month(${cutoff}) + interval '1 month')::date`

/** Completed payouts of one recipient that were created in the window: whole months from the totals, the first days counted. */
const inWindow = (accountHash: string) => `(
      SELECT coalesce(sum(completed), 0)::integer AS payouts, coalesce(sum(paid_pence), 0)::bigint AS paid_pence,
        max(last_completed_at) AS last_completed_at
      FROM (
        SELECT completed, paid_pence, last_completed_at FROM recipient_months m
        WHERE m.partner_id = $1 AND m.environment = $2 AND m.account_hash = ${accountHash}
          AND m.month >= ${monthAfterCutoff}
        UNION ALL
        SELECT count(*), coalesce(sum(p.amount_pence), 0), max(p.completed_at) FROM payouts p
        WHERE ${counts} AND p.account_hash = ${accountHash} AND p.status = 'completed' AND p.created_at >= ${cutoff}
          AND p.created_at < london_month_start(${monthAfterCutoff})
      ) parts
    )`

/**
 * Recipients whose last completed payout was created before the window, and a later one in it: few. Apart from the list, because
 * PostgreSQL expects many where it does not know the window, and would plan the list again for every request.
 */
const selectOdd: Statement = {
  name: 'odd-recipients',
  text: `SELECT account_hash AS "accountHash" FROM recipient_totals
    WHERE partner_id = $1 AND environment = $2 AND paid_created_at < ${cutoff}
      AND last_created_at > paid_created_at AND last_created_at >= ${cutoff}`,
}

// A recipient without a completed payout is listed by its latest creation time. The row of the totals has the right time,
// except for the odd recipients ($4), which are looked at one by one. A recipient whose payout failed after it became a cursor
// is still a cursor. Two scalar subqueries, because PostgreSQL does not use an index for a comparison with one subquery of two
// columns. Names are read for one page only.
const recipientsWhere = (take: number, isBehind: string, before: string) => `WITH odd AS (
      SELECT t.account_hash, coalesce(seen.last_completed_at, t.last_created_at) AS last_paid_at
      FROM recipient_totals t CROSS JOIN LATERAL ${inWindow('t.account_hash')} seen
      WHERE t.partner_id = $1 AND t.environment = $2 AND t.account_hash = ANY ($4::bytea[])
    )${before}, first AS (
      SELECT account_hash, last_paid_at FROM recipient_totals
      WHERE partner_id = $1 AND environment = $2 AND last_created_at >= ${cutoff}
        AND (paid_created_at IS NULL OR paid_created_at >= ${cutoff})
        AND ${isBehind}
      ORDER BY last_paid_at DESC, account_hash DESC LIMIT ${take}
    ), page AS (
      SELECT * FROM first
      UNION ALL
      SELECT * FROM odd WHERE ${isBehind}
      ORDER BY last_paid_at DESC, account_hash DESC LIMIT ${take}
    )
    SELECT latest.id AS "payoutId", latest.recipient_name AS name, latest.account_last4 AS "accountLast4",
      seen.payouts, seen.paid_pence AS "paidPence", page.last_paid_at AS "lastPaidAt"
    FROM page CROSS JOIN LATERAL ${inWindow('page.account_hash')} seen CROSS JOIN LATERAL (
      SELECT p.id, p.recipient_name, p.account_last4 FROM payouts p
      WHERE ${counts} AND p.account_hash = page.account_hash AND p.created_at >= ${cutoff}
      ORDER BY p.created_at DESC, p.id DESC LIMIT 1
    ) AS latest
    ORDER BY page.last_paid_at DESC, page.account_hash DESC`

// The number is part of the text: PostgreSQL plans for a tenth of all rows where it does not know how many are wanted.
const selectFirst = (take: number): Statement => ({
  name: `recipients/${take}`,
  text: recipientsWhere(take, 'true', ''),
})

const selectAfter = (take: number): Statement => ({
  name: `recipients-after/${take}`,
  text: recipientsWhere(
    take,
    '(last_paid_at, account_hash) < ((SELECT last_paid_at FROM before), (SELECT account_hash FROM before))',
    `, before AS (
      SELECT coalesce(odd.last_paid_at, t.last_paid_at, p.completed_at, p.created_at) AS last_paid_at, p.account_hash
      FROM payouts p
      LEFT JOIN recipient_totals t ON t.partner_id = $1 AND t.environment = $2 AND t.account_hash = p.account_hash
        AND t.last_created_at >= ${cutoff}
      LEFT JOIN odd ON odd.account_hash = p.account_hash
      WHERE p.id = $5
    )`,
  ),
})
