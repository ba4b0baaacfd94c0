// The statuses of a payout, the transitions between them, and the verdict on a request to pay.
import { assert } from '../assert'

export const payoutStatuses = ['pending', 'processing', 'completed', 'failed', 'cancelled', 'returned'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

export const createdVia = ['api', 'dashboard'] as const
export type CreatedVia = (typeof createdVia)[number]

export const recipientTypes = ['individual', 'business'] as const
export type RecipientType = (typeof recipientTypes)[number]

/** A status without transitions is final. */
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

/** Returns true if the status cannot change any more. A completed payout can still be returned. */
export function isFinal(status: PayoutStatus): boolean {
  return payoutMoves[status].length === 0
}

const refusals = ['insufficient_funds', 'invalid_amount', 'recipient_account_rejected', 'payout_not_created'] as const
export type Refusal = (typeof refusals)[number]

/**
 * A payout with one of these verdicts keeps its key. `accepted`, `rejected` and `unknown` result from a call to the
 * bank.
 */
const keptVerdicts = ['accepted', 'rejected', 'unknown', 'cancelled', 'late_refusal'] as const
export type KeptVerdict = (typeof keptVerdicts)[number]

/**
 * The answer to a request to pay: a payout, or a refusal that releases the key. Contains only amounts and codes,
 * because the workflow's history stores it.
 */
export type Verdict =
  | { readonly outcome: 'kept' }
  | { readonly outcome: 'refused'; readonly code: Refusal; readonly details: Readonly<Record<string, string>> | null }

export const kept: Verdict = { outcome: 'kept' }

export function refused(code: Refusal, details: Readonly<Record<string, string>> | null = null): Verdict {
  return { outcome: 'refused', code, details }
}

export function isRefusal(word: string): word is Refusal {
  return refusals.some((refusal) => refusal === word)
}
