// What a partner has used in each of the last months, as usage.ts tells it for the current one.
import { type Month, nextMonth, startOf } from '../domain/month'
import type { Queryable, Statement } from './database'
import { isVisible, type Scope } from './payouts'

export interface MonthUsage {
  readonly month: Month
  /** Created in the month. */
  readonly count: number
  /** Completed in the month, as are the amounts below. */
  readonly completed: number
  readonly paidPence: bigint
  readonly feesPence: bigint
}

/** In the order of `months`. */
export async function loadUsageHistory(
  db: Queryable,
  { partnerId, environment }: Scope,
  months: readonly Month[],
): Promise<MonthUsage[]> {
  const starts = months.map(startOf)
  const ends = months.map((month) => startOf(nextMonth(month)))
  return db.query<MonthUsage>(selectMonths, [partnerId, environment, months, starts, ends])
}

const ofScope = `partner_id = $1 AND environment = $2 AND ${isVisible}`

const selectMonths: Statement = {
  name: 'usage-history',
  text: `SELECT wanted.month, created.count, completed.*
    FROM unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) WITH ORDINALITY AS wanted (month, starts, ends, place)
    CROSS JOIN LATERAL (SELECT count(*)::integer AS count FROM payouts
      WHERE ${ofScope} AND created_at >= wanted.starts AND created_at < wanted.ends) created
    CROSS JOIN LATERAL (SELECT count(*)::integer AS completed, coalesce(sum(amount_pence), 0)::bigint AS "paidPence",
        coalesce(sum(fee_pence), 0)::bigint AS "feesPence" FROM payouts
      WHERE ${ofScope} AND status = 'completed' AND completed_at >= wanted.starts AND completed_at < wanted.ends) completed
    ORDER BY wanted.place`,
}
