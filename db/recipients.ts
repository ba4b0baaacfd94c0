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

// A recipient whose first payout is still on its way has not been paid yet, so it stands where that payout was made; and
// stays there as a cursor if that payout fails before the next page is asked for.
const selectRecipients: Statement = {
  name: 'recipients',
  text: `WITH recipients AS (
      SELECT account_hash,
        (array_agg(id ORDER BY created_at DESC, id DESC))[1] AS payout_id,
        (array_agg(recipient_name ORDER BY created_at DESC, id DESC))[1] AS name,
        (array_agg(account_last4 ORDER BY created_at DESC, id DESC))[1] AS account_last4,
        count(*) FILTER (WHERE status = 'completed') AS payouts,
        coalesce(sum(amount_pence) FILTER (WHERE status = 'completed'), 0) AS paid_pence,
        coalesce(max(completed_at) FILTER (WHERE status = 'completed'), max(created_at)) AS last_paid_at
      FROM payouts
      WHERE partner_id = $1 AND environment = $2 AND ${isVisible}
        AND created_at >= $3::timestamptz - interval '12 months'
        AND status NOT IN ('failed', 'cancelled') AND account_hash IS NOT NULL
      GROUP BY account_hash
    ), before AS (
      SELECT coalesce(recipients.last_paid_at, payouts.created_at) AS last_paid_at, account_hash
      FROM payouts LEFT JOIN recipients USING (account_hash) WHERE payouts.id = $5
    )
    SELECT payout_id AS "payoutId", name, account_last4 AS "accountLast4", payouts::integer AS payouts,
      paid_pence::bigint AS "paidPence", last_paid_at AS "lastPaidAt"
    FROM recipients
    WHERE $5::uuid IS NULL OR (last_paid_at, account_hash) < (SELECT last_paid_at, account_hash FROM before)
    ORDER BY recipients.last_paid_at DESC, account_hash DESC LIMIT $4`,
}
