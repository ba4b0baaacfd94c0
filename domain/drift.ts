// The ways in which our books and the bank's can be found to differ; each is shown to people, and none is repaired by guessing.

/** What our own books decide. */
export const ledgerDrifts = ['wallet_balance', 'set_sum', 'payout_ledger'] as const
/** What any answer of the bank decides, movement by movement. */
export const movementDrifts = [
  'transfer_without_payout',
  'transfer_amount',
  'payout_without_transfer',
  'deposit_not_booked',
] as const

export const driftKinds = [...ledgerDrifts, ...movementDrifts, 'bank_balance', 'silent_payout'] as const
export type DriftKind = (typeof driftKinds)[number]

/** Amounts are micro-USDC; never anything personal. */
export interface Finding {
  readonly kind: DriftKind
  readonly walletId: string
  /** The wallet, ledger set, payout, transfer or movement that it is about. */
  readonly subject: string
  readonly expected: string
  readonly found: string
}
