// The kinds of drift, within our ledger and between the ledger and the bank. Operators see every drift. None is
// corrected automatically.
import { formatUsdcExactly } from '../money'

/** Drifts within our own ledger. */
export const ledgerDrifts = [
  'wallet_balance',
  'suspense_balance',
  'set_sum',
  'payout_ledger',
  'payout_row',
  'payout_charge',
  'payout_totals',
  'entry_without_movement',
] as const
/** Drifts that a comparison with the bank's movements finds. */
export const movementDrifts = [
  'transfer_without_payout',
  'transfer_amount',
  'payout_without_transfer',
  'deposit_not_booked',
  'deposit_amount',
  'booking_without_movement',
] as const
/** Drifts that are caused by a missed deadline. */
export const overdueDrifts = ['silent_payout', 'not_compared'] as const

export const driftKinds = [...ledgerDrifts, ...movementDrifts, 'bank_balance', ...overdueDrifts] as const
export type DriftKind = (typeof driftKinds)[number]

/** One difference. Amounts are in micro-USDC. Contains no personal data. */
export interface Finding {
  readonly kind: DriftKind
  readonly walletId: string
  /** The affected wallet, ledger set, payout, transfer or movement. */
  readonly subject: string
  readonly expected: string
  readonly found: string
  /**
   * The value that an operator accepts. Set for kinds whose `expected` and `found` can change while the drift stays
   * the same.
   */
  readonly size?: string
}

export function sizeOf({ size, expected, found }: Pick<Finding, 'size' | 'expected' | 'found'>): string {
  return size ?? `${expected} / ${found}`
}

/** The kinds whose values are times, counts or transfer IDs instead of amounts. */
const withoutAmounts: ReadonlySet<string> = new Set<DriftKind>([
  'payout_charge',
  'payout_totals',
  'payout_without_transfer',
  'booking_without_movement',
  'silent_payout',
  'not_compared',
])

/** Matches an amount alone, or an amount after the label that names it. */
const amount =
  /(^|(?:entries sum to|balance|last entry|held deposits of|suspense|sends|wallet|in transit|paid out) )(-?\d+)(?=$|,)/g

/** Formats a drift's details for operators. Amounts are stored in micro-USDC and shown in USDC. */
export function formatDriftText(kind: string, text: string): string {
  if (withoutAmounts.has(kind)) return text
  return text.replace(amount, (_, before: string, micro: string) => `${before}${formatUsdcExactly(BigInt(micro))} USDC`)
}
