// The kinds of drift between our ledger and the bank. Operators see each one; none is repaired automatically.
import { formatUsdcExactly } from '../money'

/** Found in our own ledger. */
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
/** Found by comparing with the bank, movement by movement. */
export const movementDrifts = [
  'transfer_without_payout',
  'transfer_amount',
  'payout_without_transfer',
  'deposit_not_booked',
  'deposit_amount',
  'booking_without_movement',
] as const
/** Found when a deadline has passed. */
export const overdueDrifts = ['silent_payout', 'not_compared'] as const

export const driftKinds = [...ledgerDrifts, ...movementDrifts, 'bank_balance', ...overdueDrifts] as const
export type DriftKind = (typeof driftKinds)[number]

/** Amounts in micro-USDC. No personal data. */
export interface Finding {
  readonly kind: DriftKind
  readonly walletId: string
  /** The wallet, ledger set, payout, transfer or movement concerned. */
  readonly subject: string
  readonly expected: string
  readonly found: string
  /** What an operator accepts, for kinds whose `expected` and `found` change although the drift stays the same. */
  readonly size?: string
}

export function sizeOf({ size, expected, found }: Pick<Finding, 'size' | 'expected' | 'found'>): string {
  return size ?? `${expected} / ${found}`
}

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

/** A drift's details for operators: amounts are stored in micro-USDC and shown in USDC. */
export function saidInUsdc(kind: string, text: string): string {
  if (withoutAmounts.has(kind)) return text
  return text.replace(amount, (_, before: string, micro: string) => `${before}${formatUsdcExactly(BigInt(micro))} USDC`)
}
