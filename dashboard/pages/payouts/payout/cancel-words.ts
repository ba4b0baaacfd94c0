// The outcome of a cancellation: done, too late or undecided. The money is back in the wallet only if it is done.
import { Refusal, stateIn, Unreachable } from '../../../api/call'

type CancelFailure =
  | { readonly outcome: 'cancelled' }
  | { readonly outcome: 'too_late' | 'undecided'; readonly title: string; readonly advice: string }
  | { readonly outcome: 'other' }

const tooLate: Readonly<Record<string, string>> = {
  pending: 'The bank may already have it, so it can’t be cancelled. This page will show what happens.',
  processing: 'The bank is processing it. You can request a recall once it’s completed.',
  completed: 'It’s in the recipient’s account. You can request a recall, which the recipient has to agree to.',
  failed: 'It had already failed: you weren’t charged, and the money returns to your wallet.',
  returned: 'The recipient’s bank has already returned it.',
}

export function cancelFailureOf(error: Error): CancelFailure {
  if (error instanceof Unreachable || (error instanceof Refusal && error.status >= 500))
    return {
      outcome: 'undecided',
      title: 'We couldn’t confirm the cancellation',
      advice: 'It’s safe to try again.',
    }
  const status = stateIn(error)
  // The response to an earlier attempt was lost.
  if (status === 'cancelled') return { outcome: 'cancelled' }
  const advice = tooLate[status ?? '']
  return advice === undefined ? { outcome: 'other' } : { outcome: 'too_late', title: 'Too late to cancel', advice }
}
