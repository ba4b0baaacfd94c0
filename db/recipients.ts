// Recipients as their partner knows them: payouts of the last 12 months, grouped by bank account (§2, design §5).
import type { Queryable, Statement } from './database'
import { isVisible, type Page, type Scope } from './payouts'

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
  return db.query<RecipientRow>(selectRecipients, [partnerId, environment, now, take, startingAfter])
}

const counts = `partner_id = $1 AND environment = $2 AND ${isVisible} AND status NOT IN ('failed', 'cancelled')
  AND created_at >= $3::timestamptz - interval '12 months' AND account_hash IS NOT NULL`

// A recipient whose first payout is still on its way has not been paid yet, so it stands where that payout was made; and
// stays there as a cursor if that payout fails before the next page is asked for. Names are looked up for one page only.
const selectRecipients: Statement = {
  name: 'recipients',
  text: `WITH recipients AS (
      SELECT account_hash, account_last4,
        count(*) FILTER (WHERE status = 'completed') AS payouts,
        coalesce(sum(amount_pence) FILTER (WHERE status = 'completed'), 0) AS paid_pence,
        coalesce(max(completed_at) FILTER (WHERE status = 'completed'), max(created_at)) AS last_paid_at
      FROM payouts WHERE ${counts} GROUP BY account_hash, account_last4
    ), before AS (
      SELECT coalesce(recipients.last_paid_at, payouts.completed_at, payouts.created_at) AS last_paid_at, account_hash
      FROM payouts LEFT JOIN recipients USING (account_hash) WHERE payouts.id = $5
    ), page AS (
      SELECT * FROM recipients
      WHERE $5::uuid IS NULL OR (last_paid_at, account_hash) < (SELECT last_paid_at, account_hash FROM before)
      ORDER BY last_paid_at DESC, account_hash DESC LIMIT $4
    )
    SELECT latest.id AS "payoutId", latest.recipient_name AS name, page.account_last4 AS "accountLast4",
      page.payouts::integer AS payouts, page.paid_pence::bigint AS "paidPence", page.last_paid_at AS "lastPaidAt"
    FROM page, LATERAL (
      SELECT id, recipient_name FROM payouts
      WHERE ${counts} AND account_last4 = page.account_last4 AND account_hash = page.account_hash
      ORDER BY created_at DESC, id DESC LIMIT 1
    ) AS latest
    ORDER BY page.last_paid_at DESC, page.account_hash DESC`,
}
