// A partner's amounts that are not on an invoice yet: charges by kind, monthly fees that are due, and carried credit.
import { type ChargeGroup, dueMonthlyAccount, dueMonths, type LiveAccount } from '../../domain/invoices/invoice'
import { firstDayOf, type Month } from '../../domain/month'
import type { Queryable, Tx } from '../database'
import { sql } from '../sql'
import { addCharge } from './charges'
import { findPrices } from './price-lists'

export interface Span {
  /** Exclusive. Null includes all earlier months. */
  readonly after: Month | null
  readonly until: Month
}

/**
 * Lists everything to bill on the invoice for month `until`: that month's charges, uninvoiced charges from earlier
 * months, and monthly fees that are due.
 */
export async function listToBill(db: Queryable, partnerId: string, span: Span): Promise<ChargeGroup[]> {
  const { after, until } = span
  const stored = await db.sql<ChargeGroup>`SELECT ${groupColumns} FROM uninvoiced_charges
    WHERE partner_id = ${partnerId} AND month > coalesce(${after && firstDayOf(after)}::date, '-infinity')
      AND month <= ${firstDayOf(until)} GROUP BY kind`
  const due = await listDueAccounts(db, partnerId, until)
  return [...stored, ...due.filter(({ months }) => after === null || months.every((month) => month > after))]
}

/** Returns the credit that invoices have carried over, minus the credit that later invoices have used. */
export async function findCarriedPence(db: Queryable, partnerId: string): Promise<bigint> {
  const [pot] = await db.sql<{
    carriedPence: bigint
  }>`SELECT coalesce(sum(carried_pence - carried_in_pence), 0)::bigint AS carried_pence FROM invoices
    WHERE partner_id = ${partnerId} AND status IN ('open', 'paid')`
  return pot?.carriedPence ?? 0n
}

/**
 * The columns of a ChargeGroup, for charges that are grouped by kind. A month may occur twice: removing duplicates here
 * would make PostgreSQL sort all charges.
 */
export const groupColumns = sql`kind, count(*)::integer AS count, sum(amount_micropounds)::bigint AS sum_micropounds,
  min(amount_micropounds) AS least_micropounds, max(amount_micropounds) AS most_micropounds,
  coalesce(array_agg(to_char(month, 'YYYY-MM')) FILTER (WHERE kind = 'monthly_account'), '{}') AS months`

/** Includes earlier months that have not been billed, each at its own price. A price of zero is not charged. */
async function listDueAccounts(db: Queryable, partnerId: string, until: Month): Promise<ChargeGroup[]> {
  return (await listDue(db, partnerId, until)).map(({ month, pricePence }) => dueMonthlyAccount(month, pricePence))
}

export async function chargeDueAccounts(
  tx: Tx,
  { partnerId, until, at }: { readonly partnerId: string; readonly until: Month; readonly at: Date },
): Promise<void> {
  for (const { month, pricePence } of await listDue(tx, partnerId, until)) {
    const { kind, sumMicropounds: amountMicropounds } = dueMonthlyAccount(month, pricePence)
    await addCharge(tx, { partnerId, kind, causeRef: month, payoutId: null, month, at, amountMicropounds })
  }
}

async function listDue(
  db: Queryable,
  partnerId: string,
  until: Month,
): Promise<{ month: Month; pricePence: bigint }[]> {
  const [account] = await db.sql<AccountRow>`SELECT live_opened_at, closed_at, billed_until,
      ARRAY(SELECT to_char(month, 'YYYY-MM') FROM charges WHERE partner_id = ${partnerId} AND kind = 'monthly_account'
        AND month > coalesce(billed_until, '-infinity')) AS charged
    FROM partners WHERE id = ${partnerId}`
  if (account === undefined) return []
  const due: { month: Month; pricePence: bigint }[] = []
  for (const { month, pricedAt } of dueMonths(account, until)) {
    if (account.charged.includes(month)) continue
    const { monthlyAccountPence: pricePence } = await findPrices(db, partnerId, pricedAt)
    if (pricePence > 0n) due.push({ month, pricePence })
  }
  return due
}

interface AccountRow extends LiveAccount {
  readonly billedUntil: string | null
  readonly charged: readonly Month[]
}
