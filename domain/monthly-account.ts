// The monthly account (§1): due for each month in which the live account was open, be it for a day.
import type { ChargeGroup } from './invoice'
import { micropoundsFromPence, type Pence } from './money'
import { londonMonthOf, type Month, startOf } from './month'

export interface LiveAccount {
  readonly liveOpenedAt: Date | null
  readonly closedAt: Date | null
}

/** The moment whose prices hold for the month: its start, or the opening within it. Null when nothing is due. */
export function pricedAt({ liveOpenedAt, closedAt }: LiveAccount, month: Month): Date | null {
  if (liveOpenedAt === null || londonMonthOf(liveOpenedAt) > month) return null
  const start = startOf(month)
  if (closedAt !== null && closedAt <= start) return null
  return liveOpenedAt > start ? liveOpenedAt : start
}

/** As the charge will be counted once it is stored. */
export function dueMonthlyAccount(month: Month, pricePence: Pence): ChargeGroup {
  const price = micropoundsFromPence(pricePence)
  const prices = { sumMicropounds: price, leastMicropounds: price, mostMicropounds: price }
  return { kind: 'monthly_account', count: 1, ...prices, months: [month] }
}
