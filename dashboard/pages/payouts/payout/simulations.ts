// The outcomes that the sandbox bank can simulate, and their reasons.
import type { PayoutStatus } from '../../../api/types'

export type Outcome = 'settle' | 'fail' | 'return' | 'stall'

export function possibleFrom(status: PayoutStatus): readonly Outcome[] {
  if (status === 'processing') return ['settle', 'fail', 'return', 'stall']
  return status === 'completed' ? ['return'] : []
}

export const simulatedReasons = [
  'account_blocked',
  'account_closed',
  'account_inactive',
  'account_switched',
  'bank_refused',
  'bank_unavailable',
  'currency_not_accepted',
  'details_refused',
  'duplicate_payment',
  'invalid_account',
  'name_mismatch',
  'not_permitted',
  'recalled',
  'recipient_deceased',
  'recipient_refused',
  'reference_required',
] as const
