// What a drift says, for people: its amounts are kept as millionths of a USDC, and shown as USDC.

import { formatUsdcExactly } from '../money'
import type { DriftKind } from './drift'

/** Times, counts and names of transfers are no amounts. */
const withoutAmounts: ReadonlySet<string> = new Set<DriftKind>([
  'payout_charge',
  'payout_totals',
  'payout_without_transfer',
  'booking_without_movement',
  'silent_payout',
  'not_compared',
])

/** Alone, or behind the word that says what of. */
const amount =
  /(^|(?:entries sum to|balance|last entry|held deposits of|suspense|sends|wallet|in transit|paid out) )(-?\d+)(?=$|,)/g

export function saidInUsdc(kind: string, text: string): string {
  if (withoutAmounts.has(kind)) return text
  return text.replace(amount, (_, before: string, micro: string) => `${before}${formatUsdcExactly(BigInt(micro))} USDC`)
}
