// What a partner owes and no invoice has yet: its charges by kind, the account that is due, and credit that was carried.
import type { ChargeGroup } from '../domain/invoice'
import { firstDayOf, type Month } from '../domain/month'
import { dueMonthlyAccount, type LiveAccount, pricedAt } from '../domain/monthly-account'
import type { Queryable, Statement } from './database'
import { findPrices } from './price-lists'

/** All that the invoice of a month takes: its own charges, and those of months before that came too late for theirs. */
export async function listUninvoiced(db: Queryable, partnerId: string, month: Month): Promise<ChargeGroup[]> {
  return db.query<ChargeGroup>(selectUpTo, [partnerId, firstDayOf(month)])
}

/** The month so far: its own charges, and late ones of months that were billed; those of a month still to be billed are its invoice's. */
export async function listUninvoicedSoFar(db: Queryable, partnerId: string, month: Month): Promise<ChargeGroup[]> {
  return db.query<ChargeGroup>(selectSoFar, [partnerId, firstDayOf(month)])
}

/** The monthly account, until it is stored when its month is billed; a price of nothing is not charged. */
export async function findDueAccount(db: Queryable, partnerId: string, month: Month): Promise<ChargeGroup | null> {
  const [account] = await db.query<LiveAccount>(selectUncharged, [partnerId, month])
  const at = account === undefined ? null : pricedAt(account, month)
  if (at === null) return null
  const { monthlyAccountPence } = await findPrices(db, partnerId, at)
  return monthlyAccountPence > 0n ? dueMonthlyAccount(month, monthlyAccountPence) : null
}

/** The pot: what invoices have put in, less what later ones took out. */
export async function findCarriedPence(db: Queryable, partnerId: string): Promise<bigint> {
  const [pot] = await db.query<{ carriedPence: bigint }>(selectCarried, [partnerId])
  return pot?.carriedPence ?? 0n
}

/** The columns of a ChargeGroup, over charges that are grouped by kind. */
export const groupColumns = `kind, count(*)::integer AS count, sum(amount_micropounds)::bigint AS "sumMicropounds",
  min(amount_micropounds) AS "leastMicropounds", max(amount_micropounds) AS "mostMicropounds",
  coalesce(array_agg(DISTINCT to_char(month, 'YYYY-MM')) FILTER (WHERE kind = 'monthly_account'), '{}') AS months`

const selectUpTo: Statement = {
  name: 'uninvoiced-up-to',
  text: `SELECT ${groupColumns} FROM uninvoiced_charges WHERE partner_id = $1 AND month <= $2 GROUP BY kind`,
}

const selectSoFar: Statement = {
  name: 'uninvoiced-so-far',
  text: `SELECT ${groupColumns} FROM uninvoiced_charges
    WHERE partner_id = $1 AND (month = $2 OR month <= (SELECT billed_until FROM partners WHERE id = $1))
    GROUP BY kind`,
}

const selectUncharged: Statement = {
  name: 'uncharged-account',
  text: `SELECT live_opened_at AS "liveOpenedAt", closed_at AS "closedAt" FROM partners
    WHERE id = $1 AND NOT EXISTS (SELECT FROM charges
      WHERE partner_id = $1 AND kind = 'monthly_account' AND cause_ref = $2)`,
}

const selectCarried: Statement = {
  name: 'carried-credit',
  text: `SELECT coalesce(sum(carried_pence - carried_in_pence), 0)::bigint AS "carriedPence" FROM invoices
    WHERE partner_id = $1 AND status IN ('open', 'paid')`,
}
