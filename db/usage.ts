// What a partner has used in the current month, which begins and ends at midnight in London (design §5).
import { isBillable, type MadeInvoice, makeInvoice } from '../domain/invoice'
import { firstDayOf, londonMonthOf, type Month, nextMonth, previousMonth, startOf } from '../domain/month'
import type { Queryable, Statement } from './database'
import { isVisible, type Scope } from './payouts'
import { findCarriedPence, listToBill } from './uninvoiced'

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

export async function loadUsage(db: Queryable, { partnerId, environment }: Scope, now: Date): Promise<UsageRow> {
  const month = londonMonthOf(now)
  const [starts, ends] = [startOf(month), startOf(nextMonth(month))]
  const [usage] = await db.query<Omit<UsageRow, 'periodStart'>>(selectUsage, [partnerId, environment, starts, ends])
  if (usage === undefined) throw new Error('an aggregate must have a row')
  return { periodStart: firstDayOf(month), ...usage }
}

/**
 * What the month would be billed for now, once what is before it was: until then the months before keep their charges, and
 * their invoice takes its part of the credit. The sandbox is never charged.
 */
export async function loadInvoiceSoFar(
  db: Queryable,
  { partnerId, environment }: Scope,
  now: Date,
): Promise<MadeInvoice> {
  if (environment === 'sandbox') return makeInvoice([], { carriedInPence: 0n })
  const month = londonMonthOf(now)
  const before = previousMonth(month)
  const [carriedInPence, billed] = await Promise.all([findCarriedPence(db, partnerId), isBilled(db, partnerId, before)])
  const earlier = billed ? [] : await listToBill(db, partnerId, { after: null, until: before })
  if (isBillable(earlier)) {
    const { carriedPence } = makeInvoice(earlier, { carriedInPence })
    return makeInvoice(await listToBill(db, partnerId, { after: before, until: month }), {
      carriedInPence: carriedPence,
    })
  }
  return makeInvoice(await listToBill(db, partnerId, { after: null, until: month }), { carriedInPence })
}

async function isBilled(db: Queryable, partnerId: string, month: Month): Promise<boolean> {
  return (await db.query(selectBilled, [partnerId, firstDayOf(month)])).length > 0
}

const selectBilled: Statement = {
  name: 'usage-billed',
  text: 'SELECT FROM partners WHERE id = $1 AND billed_until >= $2',
}

const selectUsage: Statement = {
  name: 'usage',
  text: `SELECT * FROM (
      SELECT count(*)::integer AS count FROM payouts
      WHERE partner_id = $1 AND environment = $2 AND ${isVisible} AND created_at >= $3 AND created_at < $4
    ) AS created, (
      SELECT count(*)::integer AS completed, coalesce(sum(amount_pence), 0)::bigint AS "paidPence",
        coalesce(sum(fee_pence), 0)::bigint AS "feesPence" FROM payouts
      WHERE partner_id = $1 AND environment = $2 AND ${isVisible} AND status = 'completed'
        AND completed_at >= $3 AND completed_at < $4
    ) AS completed`,
}
