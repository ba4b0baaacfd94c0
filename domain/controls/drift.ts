// The ways in which our books and the bank's can be found to differ; each is shown to people, and none is repaired by guessing.

/** What our own books decide. */
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
/** What any answer of the bank decides, movement by movement. */
export const movementDrifts = [
  'transfer_without_payout',
  'transfer_amount',
  'payout_without_transfer',
  'deposit_not_booked',
  'deposit_amount',
  'booking_without_movement',
] as const
/** What time decides. */
export const overdueDrifts = ['silent_payout', 'not_compared'] as const

export const driftKinds = [...ledgerDrifts, ...movementDrifts, 'bank_balance', ...overdueDrifts] as const
export type DriftKind = (typeof driftKinds)[number]

/** Amounts are micro-USDC; never anything personal. */
export interface Finding {
  readonly kind: DriftKind
  readonly walletId: string
  /** The wallet, ledger set, payout, transfer or movement that it is about. */
  readonly subject: string
  readonly expected: string
  readonly found: string
  /** What people accept, where `expected` and `found` also change when nothing about the drift does. */
  readonly size?: string
}

export function sizeOf({ size, expected, found }: Pick<Finding, 'size' | 'expected' | 'found'>): string {
  return size ?? `${expected} / ${found}`
}
