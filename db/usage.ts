// What a partner has used in the current month, which begins and ends at midnight in London (design §5).
import type { ChargeKind } from '../domain/invoice'
import type { Queryable, Statement } from './database'
import { isVisible, type Scope } from './payouts'

export interface UsageRow {
  /** The first day of the month, as YYYY-MM-DD. */
  readonly periodStart: string
  /** Created in the month. */
  readonly count: number
  /** Completed in the month, as are the amounts below. */
  readonly completed: number
  readonly paidPence: bigint
  readonly feesPence: bigint
}

export interface ChargedRow {
  readonly kind: ChargeKind
  readonly amountMicropounds: bigint
}

export async function loadUsage(db: Queryable, { partnerId, environment }: Scope, now: Date): Promise<UsageRow> {
  const [usage] = await db.query<UsageRow>(selectUsage, [partnerId, environment, now])
  if (usage === undefined) throw new Error('an aggregate must have a row')
  return usage
}

/** Sums of the month's charges by kind; there are none in the sandbox, which is never charged. */
export async function listCharged(db: Queryable, { partnerId, environment }: Scope, now: Date): Promise<ChargedRow[]> {
  return db.query<ChargedRow>(selectCharged, [partnerId, environment, now])
}

const month = `(SELECT start AT TIME ZONE 'Europe/London' AS starts_at,
    (start + interval '1 month') AT TIME ZONE 'Europe/London' AS ends_at, start::date AS first_day
  FROM date_trunc('month', $3::timestamptz AT TIME ZONE 'Europe/London') AS start) AS month`

const selectUsage: Statement = {
  name: 'usage',
  text: `SELECT month.first_day AS "periodStart", created.count, completed.*
    FROM ${month}, LATERAL (
      SELECT count(*)::integer AS count FROM payouts
      WHERE partner_id = $1 AND environment = $2 AND ${isVisible}
        AND created_at >= month.starts_at AND created_at < month.ends_at
    ) AS created, LATERAL (
      SELECT count(*)::integer AS completed, coalesce(sum(amount_pence), 0)::bigint AS "paidPence",
        coalesce(sum(fee_pence), 0)::bigint AS "feesPence" FROM payouts
      WHERE partner_id = $1 AND environment = $2 AND ${isVisible} AND status = 'completed'
        AND completed_at >= month.starts_at AND completed_at < month.ends_at
    ) AS completed`,
}

const selectCharged: Statement = {
  name: 'usage-charged',
  text: `SELECT kind, sum(amount_micropounds)::bigint AS "amountMicropounds"
    FROM charges, ${month} WHERE partner_id = $1 AND $2::text = 'live' AND charges.month = month.first_day
    GROUP BY kind`,
}
