// Texts for payout events and for outcomes of recalls and traces.
import type { CaseKind, PayoutEvent } from '../../../api/types'
import { codeWords } from '../../../words'

const known: Readonly<Record<string, string>> = {
  requested: 'Requested',
  debited: 'Debited from the wallet',
  sent: 'Accepted by the bank',
  unconfirmed: 'Waiting for the bank to confirm',
  completed: 'In the recipient’s account',
  failed: 'Failed',
  refunded: 'Refunded to the wallet',
  cancelled: 'Cancelled',
  returned: 'Returned by the recipient’s bank',
}

/** The detail of a case event is its kind and, once resolved, its outcome: "recall: refused". */
export function titleOf({ event, detail }: Pick<PayoutEvent, 'event' | 'detail'>): string {
  const [kind = '', outcome = ''] = (detail ?? '').split(': ')
  if (event === 'case_opened') return `${kind === '' ? 'Case' : codeWords(kind)} opened`
  if (event === 'case_resolved') return `${kind === '' ? 'Case' : codeWords(kind)} resolved: ${lowered(outcome)}`
  return known[event] ?? codeWords(event)
}

const outcomes: Readonly<Record<string, string>> = {
  returned: 'The money is returned',
  refused: 'The recipient did not agree',
  found: 'The money was found',
  not_found: 'The money was not found',
  withdrawn: 'Withdrawn',
}

export function outcomeWords(outcome: string): string {
  return outcomes[outcome] ?? codeWords(outcome)
}

function lowered(outcome: string): string {
  const words = outcomeWords(outcome)
  return words.charAt(0).toLowerCase() + words.slice(1)
}

export const kindWords: Readonly<Record<CaseKind, string>> = { recall: 'Recall', trace: 'Trace' }
