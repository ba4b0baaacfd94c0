// The partners that the invoice run of a month has to consider.
import { firstDayOf, type Month, nextMonth, startOf } from '../../domain/month'
import type { Queryable } from '../database'
import { isUnclosedCompleted } from '../payouts/steps'
import { type Sql, sql } from '../sql'

export interface PartnerToBill {
  readonly id: string
  readonly slug: string
}

/**
 * Partners with a live account that was not billed up to the month, with uninvoiced charges, or with a completed payout that may not
 * be charged yet, without those that have an invoice for the month. By id; `after` is the last id of the previous page.
 */
export async function listPartnersToBill(
  db: Queryable,
  { period, after, limit }: { readonly period: Month; readonly after: string | null; readonly limit: number },
): Promise<PartnerToBill[]> {
  return db.sql<PartnerToBill>`SELECT id, slug FROM partners
    WHERE (${after}::uuid IS NULL OR id > ${after})
      AND ${isToBill(period, sql`'open', 'paid'`)}
    ORDER BY id LIMIT ${limit}`
}

/** How many partners have an invoice for the month. */
export async function countInvoiced(db: Queryable, period: Month): Promise<number> {
  const [row] = await db.sql<{
    count: number
  }>`SELECT count(*)::integer AS count FROM invoices WHERE period = ${firstDayOf(period)} AND status IN ('open', 'paid')`
  return row?.count ?? 0
}

/** How many partners have no invoice for a month that is over. A void invoice counts as one: an operator decides about it. */
export async function countNotBilled(db: Queryable, period: Month): Promise<number> {
  const isMissing = isToBill(period, sql`'open', 'paid', 'void'`)
  const [row] = await db.sql<{ count: number }>`SELECT count(*)::integer AS count FROM partners WHERE ${isMissing}`
  return row?.count ?? 0
}

function isToBill(period: Month, settled: Sql): Sql {
  const firstDay = firstDayOf(period)
  return sql`NOT EXISTS (SELECT FROM invoices
        WHERE partner_id = partners.id AND period = ${firstDay} AND status IN (${settled}))
      AND (
        (coalesce(billed_until < ${firstDay}, true) AND live_opened_at < ${startOf(nextMonth(period))})
        OR EXISTS (SELECT FROM uninvoiced_charges WHERE partner_id = partners.id AND month <= ${firstDay} AND kind <> 'credit')
        -- Not correlated, so that the few open payouts are read once and not for each partner.
        OR id IN (SELECT p.partner_id FROM payouts p WHERE ${isUnclosedCompleted(startOf(nextMonth(period)))})
      )`
}
