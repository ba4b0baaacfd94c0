// A payout's statuses, the moves between them (§3), and the other closed sets of words a payout is described with.
import { assert } from '../assert'

export const payoutStatuses = ['pending', 'processing', 'completed', 'failed', 'cancelled', 'returned'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

export const createdVia = ['api', 'dashboard'] as const
export type CreatedVia = (typeof createdVia)[number]

export const recipientTypes = ['individual', 'business'] as const
export type RecipientType = (typeof recipientTypes)[number]

/** A status with no way out is final. */
export const payoutMoves: Readonly<Record<PayoutStatus, readonly PayoutStatus[]>> = {
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
  assert(canMove(from, to), `a payout can not move from ${from} to ${to}`)
}

/** True when nothing can happen to the payout any more; a completed one can still be returned. */
export function isFinal(status: PayoutStatus): boolean {
  return payoutMoves[status].length === 0
}
