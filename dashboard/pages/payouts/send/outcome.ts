// Decides whether a failed request proves that nothing was sent, or leaves the payout's outcome unknown.
import { Refusal, Unreachable } from '../../../api/call'

export type Knowledge = 'nothing-sent' | 'unknown'

interface Before {
  readonly knowledge: Knowledge
  /** Whether the form was reopened. If so, the earlier attempt may have had other details. */
  readonly isReopened: boolean
}

/** After a lost response, only a response about the same payout proves that nothing was sent. A 401 or 429 does not. */
export function knowledgeAfter(error: Error, { knowledge, isReopened }: Before): Knowledge {
  if (isLost(error)) return 'unknown'
  if (knowledge === 'nothing-sent') return 'nothing-sent'
  return settles(error, isReopened) ? 'nothing-sent' : 'unknown'
}

function isLost(error: Error): boolean {
  if (!(error instanceof Refusal)) return error instanceof Unreachable
  return error.status >= 500 && error.code !== 'payout_not_created' && error.code !== 'provider_unavailable'
}

function settles(error: Error, isReopened: boolean): boolean {
  if (!(error instanceof Refusal)) return false
  if (error.status === 402 || error.code === 'payout_not_created' || error.code === 'idempotency_key_reused')
    return true
  // A wrong code, or an error in changed details, proves nothing about the earlier attempt.
  return error.status === 422 && error.code !== 'invalid_confirm_code' && !isReopened
}
