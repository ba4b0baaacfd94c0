// A partner's usage by London month, read from totals that triggers maintain.

import { isBillable, type MadeInvoice, makeInvoice } from '../../domain/invoices/invoice'
import { firstDayOf, londonMonthOf, type Month, previousMonth } from '../../domain/month'
import { bigint, date, entity, integer, primary, text, uuid } from '../columns'
import type { Queryable } from '../database'
import type { Scope } from '../payouts/payouts'
import { findCarriedPence, listToBill } from './uninvoiced'

interface PayoutMonthRow {
  readonly partnerId: string
  readonly environment: string
  /** The first day of a London month, as YYYY-MM-DD. */
  readonly month: string
  readonly shard: number
  /** Payouts that were created in the month. */
  readonly created: number
  /** Payouts that completed in the month. The next two fields are their totals. */
  readonly completed: number
  readonly paidPence: bigint
  readonly feesPence: bigint
}

export const payoutMonth = entity<PayoutMonthRow>('PayoutMonth', 'payout_months', {
  partnerId: primary(uuid),
  environment: primary(text),
  month: primary(date),
  shard: primary(integer),
  created: integer,
  completed: integer,
  paidPence: bigint,
  feesPence: bigint,
})

export interface UsageRow {
  /** The first day of the month, as YYYY-MM-DD. */
  readonly periodStart: string
  /** Payouts that were created in the month. */
  readonly count: number
  /** Payouts that completed in the month. The next two fields are their totals. */
  readonly completed: number
  readonly paidPence: bigint
  readonly feesPence: bigint
}

export async function loadUsage(db: Queryable, { partnerId, environment }: Scope, now: Date): Promise<UsageRow> {
  const month = londonMonthOf(now)
  const [usage] = await db.sql<
    Omit<UsageRow, 'periodStart'>
  >`SELECT coalesce(sum(created), 0)::integer AS count, coalesce(sum(completed), 0)::integer AS completed,
      coalesce(sum(paid_pence), 0)::bigint AS paid_pence, coalesce(sum(fees_pence), 0)::bigint AS fees_pence
    FROM payout_months WHERE partner_id = ${partnerId} AND environment = ${environment} AND month = ${firstDayOf(month)}::date`
  if (usage === undefined) throw new Error('an aggregate must have a row')
  return { periodStart: firstDayOf(month), ...usage }
}

/**
 * Computes the invoice for the current month so far. If earlier months are not billed yet, excludes their charges and
 * the credit that their invoice will use. The sandbox is never charged.
 */
export async function loadInvoiceSoFar(
  db: Queryable,
  { partnerId, environment }: Scope,
  now: Date,
): Promise<MadeInvoice> {
  if (environment === 'sandbox') return makeInvoice([], { carriedInPence: 0n })
  const month = londonMonthOf(now)
  const before = previousMonth(month)
  const carriedInPence = await findCarriedPence(db, partnerId)
  const billed = await isBilled(db, partnerId, before)
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
  return (
    (await db.sql`SELECT FROM partners WHERE id = ${partnerId} AND billed_until >= ${firstDayOf(month)}`).length > 0
  )
}

export interface MonthUsage {
  readonly month: Month
  /** Payouts that were created in the month. */
  readonly count: number
  /** Payouts that completed in the month. The next two fields are their totals. */
  readonly completed: number
  readonly paidPence: bigint
  readonly feesPence: bigint
}

/** Returns one row for each month, in the order of `months`. */
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
