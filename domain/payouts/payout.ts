// The statuses of a payout, the moves between them, and other closed sets of values.
import { assert } from '../assert'

export const payoutStatuses = ['pending', 'processing', 'completed', 'failed', 'cancelled', 'returned'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

export const createdVia = ['api', 'dashboard'] as const
export type CreatedVia = (typeof createdVia)[number]

export const recipientTypes = ['individual', 'business'] as const
export type RecipientType = (typeof recipientTypes)[number]

/** A status without moves is final. */
const payoutMoves: Readonly<Record<PayoutStatus, readonly PayoutStatus[]>> = {
  pending: ['processing', 'completed', 'failed', 'cancelled'],
  processing: ['completed', 'failed', 'returned'],
  completed: ['returned'],
  failed: [],
  cancelled: [],
  returned: [],
}

export function canMove(from: PayoutStatus, to: PayoutStatus): boolean {
  return payoutMoves[from].includes(to)
}

export function assertMove(from: PayoutStatus, to: PayoutStatus): void {
  assert(canMove(from, to), `a payout cannot move from ${from} to ${to}`)
}

/** True if nothing more can happen to the payout. A completed payout can still be returned. */
export function isFinal(status: PayoutStatus): boolean {
  return payoutMoves[status].length === 0
}
