// The monthly account fee. It is due for each month in which the live account was open at any time.

import { micropoundsFromPence, type Pence } from '../money'
import { londonMonthOf, type Month, monthOfDay, nextMonth, startOf } from '../month'
import type { ChargeGroup } from './invoice'

export interface LiveAccount {
  readonly liveOpenedAt: Date | null
  readonly closedAt: Date | null
}

interface DueMonth {
  readonly month: Month
  readonly pricedAt: Date
}

/** Lists all months that are due up to `until`, oldest first. Months up to `billedUntil` are already billed. */
export function dueMonths(account: LiveAccount & { readonly billedUntil: string | null }, until: Month): DueMonth[] {
  const { liveOpenedAt, billedUntil } = account
  if (liveOpenedAt === null) return []
  const opened = londonMonthOf(liveOpenedAt)
  const unbilled = billedUntil === null ? opened : nextMonth(monthOfDay(billedUntil))
  const due: DueMonth[] = []
  for (let month = unbilled > opened ? unbilled : opened; month <= until; month = nextMonth(month)) {
    const at = pricedAt(account, month)
    if (at === null) break
    due.push({ month, pricedAt: at })
  }
  return due
}

/** Returns the time whose prices apply to the month: its start, or the opening within it. Null if nothing is due. */
export function pricedAt({ liveOpenedAt, closedAt }: LiveAccount, month: Month): Date | null {
  if (liveOpenedAt === null || londonMonthOf(liveOpenedAt) > month) return null
  const start = startOf(month)
  if (closedAt !== null && closedAt <= start) return null
  return liveOpenedAt > start ? liveOpenedAt : start
}

/** Returns the charge as a group, which is the form in which the database sums charges. */
export function dueMonthlyAccount(month: Month, pricePence: Pence): ChargeGroup {
  const price = micropoundsFromPence(pricePence)
  const prices = { sumMicropounds: price, leastMicropounds: price, mostMicropounds: price }
  return { kind: 'monthly_account', count: 1, ...prices, months: [month] }
}
