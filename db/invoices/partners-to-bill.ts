// Who a run of a month has to look at, page by page.
import { firstDayOf, type Month, nextMonth, startOf } from '../../domain/month'
import type { Queryable, Statement } from '../database'

export interface PartnerToBill {
  readonly id: string
  readonly slug: string
}

/**
 * Partners with a live account that were not billed up to the month, and partners with charges that wait; those with an
 * invoice for the month are left out. By id; `after` is the last id of the page before.
 */
export async function listPartnersToBill(
  db: Queryable,
  { period, after, limit }: { readonly period: Month; readonly after: string | null; readonly limit: number },
): Promise<PartnerToBill[]> {
  const ends = startOf(nextMonth(period))
  return db.query<PartnerToBill>(selectToBill, [firstDayOf(period), ends, after, limit])
}

/** How many partners have an invoice for the month. */
export async function countInvoiced(db: Queryable, period: Month): Promise<number> {
  const [row] = await db.sql<{
    count: number
  }>`SELECT count(*)::integer AS count FROM invoices WHERE period = ${firstDayOf(period)} AND status IN ('open', 'paid')`
  return row?.count ?? 0
}

/** Those of a month that is over who have no invoice for it; one that people have voided waits for theirs. */
export async function countNotBilled(db: Queryable, period: Month): Promise<number> {
  const [row] = await db.query<{ count: number }>(countToBill, [firstDayOf(period), startOf(nextMonth(period))])
  return row?.count ?? 0
}

const isToBill = (settled: string) => `NOT EXISTS (SELECT FROM invoices
        WHERE partner_id = partners.id AND period = $1 AND status IN (${settled}))
      AND (
        (coalesce(billed_until < $1, true) AND live_opened_at < $2)
        OR EXISTS (SELECT FROM uninvoiced_charges WHERE partner_id = partners.id AND month <= $1 AND kind <> 'credit')
      )`

const selectToBill: Statement = {
  name: 'partners-to-bill',
  text: `SELECT id, slug FROM partners
    WHERE ($3::uuid IS NULL OR id > $3)
      AND ${isToBill(`'open', 'paid'`)}
    ORDER BY id LIMIT $4`,
}

const countToBill: Statement = {
  name: 'partners-not-billed',
  text: `SELECT count(*)::integer AS count FROM partners WHERE ${isToBill(`'open', 'paid', 'void'`)}`,
}
