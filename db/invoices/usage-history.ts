// Usage of a partner in each of the last months, from the totals that usage.ts reads for the current one.
import { firstDayOf, type Month } from '../../domain/month'
import type { Queryable } from '../database'
import type { Scope } from '../payouts/payouts'

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
  return db.sql<MonthUsage>`SELECT wanted.name AS month, coalesce(sum(created), 0)::integer AS count,
      coalesce(sum(completed), 0)::integer AS completed, coalesce(sum(paid_pence), 0)::bigint AS paid_pence,
      coalesce(sum(fees_pence), 0)::bigint AS fees_pence
    FROM unnest(${months}::text[], ${months.map(firstDayOf)}::date[]) WITH ORDINALITY AS wanted (name, month, place)
    LEFT JOIN payout_months t ON t.partner_id = ${partnerId} AND t.environment = ${environment} AND t.month = wanted.month
    GROUP BY wanted.name, wanted.place ORDER BY wanted.place`
}
