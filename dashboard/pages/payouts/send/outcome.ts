// What the failure of a send says about the payout: nothing was sent, or nobody knows.
import { Refusal, Unreachable } from '../../../api/call'

export type Knowledge = 'nothing-sent' | 'unknown'

interface Before {
  readonly knowledge: Knowledge
  /** The earlier try may have had other details: the form was opened anew since. */
  readonly isReopened: boolean
}

/** Once an answer was lost, only an answer about that very payout makes up for it: a 401 or 429 says nothing of it. */
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
  // A wrong code, or a fault in other details than were sent before, says nothing of the earlier try.
  return error.status === 422 && error.code !== 'invalid_confirm_code' && !isReopened
}
