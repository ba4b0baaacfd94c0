// Texts for payout events and for outcomes of recalls and traces.
import type { CaseKind, PayoutEvent } from '../../../api/types'
import { codeWords } from '../../../words'

const known: Readonly<Record<string, string>> = {
  requested: 'Requested',
  debited: 'Reserved in wallet',
  sent: 'Accepted by the bank',
  unconfirmed: 'Waiting for the bank to confirm',
  completed: 'Paid to recipient',
  failed: 'Failed',
  refunded: 'Refunded to wallet',
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
  returned: 'Money will be returned',
  refused: 'Recipient declined',
  found: 'Payment located',
  not_found: 'Payment not located',
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
