// The partners that a month's invoice run has to consider.
import { firstDayOf, type Month, nextMonth, startOf } from '../../domain/month'
import type { Queryable } from '../database'
import { isUnclosedCompleted } from '../payouts/steps'
import { type Sql, sql } from '../sql'

export interface PartnerToBill {
  readonly id: string
  readonly slug: string
}

/**
 * Lists the partners without an invoice for the month that may need one: they have an unbilled live account, uninvoiced
 * charges, or a completed payout that might not have been charged yet. Sorts by ID. `after` is the last ID of the
 * previous page.
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

/** Counts the partners that have an invoice for the month. */
export async function countInvoiced(db: Queryable, period: Month): Promise<number> {
  const [row] = await db.sql<{
    count: number
  }>`SELECT count(*)::integer AS count FROM invoices WHERE period = ${firstDayOf(period)} AND status IN ('open', 'paid')`
  return row?.count ?? 0
}

/**
 * Counts the partners that lack an invoice for a past month. A partner with a void invoice does not count, because an
 * operator decides whether to replace it.
 */
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
        -- This subquery is not correlated, so PostgreSQL reads the few open payouts once and not for each partner.
        OR id IN (SELECT p.partner_id FROM payouts p WHERE ${isUnclosedCompleted(startOf(nextMonth(period)))})
      )`
}
