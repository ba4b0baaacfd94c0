// What came of a cancel: done, too late, or not decided yet. Only the first means that the money is back.
import { isRecord, Refusal, Unreachable } from '../../../api/call'

type CancelTrouble =
  | { readonly outcome: 'cancelled' }
  | { readonly outcome: 'too_late' | 'undecided'; readonly title: string; readonly advice: string }
  | { readonly outcome: 'other' }

const tooLate: Readonly<Record<string, string>> = {
  pending: 'It may be at the bank already, so it cannot be taken back. This page shows its progress.',
  processing: 'The bank has it, and it is on its way. Once it has arrived it can be recalled.',
  completed: 'It is in the recipient’s account. It can be recalled, if the recipient agrees.',
  failed: 'It has failed by itself: nothing was charged, and the money comes back.',
  returned: 'The recipient’s bank has sent it back by itself.',
}

export function cancelTroubleOf(error: Error): CancelTrouble {
  if (error instanceof Unreachable || (error instanceof Refusal && error.status >= 500))
    return {
      outcome: 'undecided',
      title: 'It is not decided yet',
      advice:
        'Nobody knows yet whether it was in time. Try again: that is safe, and the payout is cancelled once at most.',
    }
  const status = statusIn(error)
  // A first try whose answer was lost.
  if (status === 'cancelled') return { outcome: 'cancelled' }
  const advice = tooLate[status ?? '']
  return advice === undefined
    ? { outcome: 'other' }
    : { outcome: 'too_late', title: 'It is too late to cancel', advice }
}

function statusIn(error: Error): string | null {
  if (!(error instanceof Refusal && error.code === 'invalid_state' && isRecord(error.details))) return null
  const { status } = error.details
  return typeof status === 'string' ? status : null
}
