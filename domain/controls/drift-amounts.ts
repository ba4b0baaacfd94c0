// Formats a drift's details for operators: amounts are stored in micro-USDC and shown in USDC.

import { formatUsdcExactly } from '../money'
import type { DriftKind } from './drift'

/** Values that are not amounts: times, counts and transfer IDs. */
const withoutAmounts: ReadonlySet<string> = new Set<DriftKind>([
  'payout_charge',
  'payout_totals',
  'payout_without_transfer',
  'booking_without_movement',
  'silent_payout',
  'not_compared',
])

/** An amount alone, or after a word that names it. */
const amount =
  /(^|(?:entries sum to|balance|last entry|held deposits of|suspense|sends|wallet|in transit|paid out) )(-?\d+)(?=$|,)/g

export function saidInUsdc(kind: string, text: string): string {
  if (withoutAmounts.has(kind)) return text
  return text.replace(amount, (_, before: string, micro: string) => `${before}${formatUsdcExactly(BigInt(micro))} USDC`)
}
