// The monthly accounts that are due and not charged yet: shown by usage and preview, stored when they are billed.
import type { ChargeGroup } from '../../domain/invoices/invoice'
import { dueMonthlyAccount, dueMonths, type LiveAccount } from '../../domain/invoices/monthly-account'
import type { Month } from '../../domain/month'
import type { Queryable, Tx } from '../database'
import { addCharge } from './charges'
import { findPrices } from './price-lists'

/** Also of months before, whose run has failed or never came; each at its own price, and a price of nothing is not charged. */
export async function listDueAccounts(db: Queryable, partnerId: string, until: Month): Promise<ChargeGroup[]> {
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
