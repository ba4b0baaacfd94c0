// What a partner owes and no invoice has yet: its charges by kind, the accounts that are due, and credit that was carried.
import type { ChargeGroup } from '../../domain/invoices/invoice'
import { firstDayOf, type Month } from '../../domain/month'
import type { Queryable } from '../database'
import { sql } from '../sql'
import { listDueAccounts } from './due-accounts'

export interface Span {
  /** Its own month is not in it; null means from the beginning. */
  readonly after: Month | null
  readonly until: Month
}

/** What the invoice of `until` takes: its own charges, those of months before that are on none, and the accounts that are due. */
export async function listToBill(db: Queryable, partnerId: string, span: Span): Promise<ChargeGroup[]> {
  const { after, until } = span
  const stored = await db.sql<ChargeGroup>`SELECT ${groupColumns} FROM uninvoiced_charges
    WHERE partner_id = ${partnerId} AND month > coalesce(${after && firstDayOf(after)}::date, '-infinity')
      AND month <= ${firstDayOf(until)} GROUP BY kind`
  const due = await listDueAccounts(db, partnerId, until)
  return [...stored, ...due.filter(({ months }) => after === null || months.every((month) => month > after))]
}

/** The pot: what invoices have put in, less what later ones took out. */
export async function findCarriedPence(db: Queryable, partnerId: string): Promise<bigint> {
  const [pot] = await db.sql<{
    carriedPence: bigint
  }>`SELECT coalesce(sum(carried_pence - carried_in_pence), 0)::bigint AS carried_pence FROM invoices
    WHERE partner_id = ${partnerId} AND status IN ('open', 'paid')`
  return pot?.carriedPence ?? 0n
}

/** The columns of a ChargeGroup, over charges that are grouped by kind. */
export const groupColumns = sql`kind, count(*)::integer AS count, sum(amount_micropounds)::bigint AS sum_micropounds,
  min(amount_micropounds) AS least_micropounds, max(amount_micropounds) AS most_micropounds,
  coalesce(array_agg(DISTINCT to_char(month, 'YYYY-MM')) FILTER (WHERE kind = 'monthly_account'), '{}') AS months`
