// The texts of the page that shows one payout.
import { Refusal, stateIn, Unreachable } from '../../../api/call'
import type { CaseKind, Environment, Payout, PayoutEvent } from '../../../api/types'
import { codeWords } from '../../../words'
import type { Outcome } from './simulations'

const events: Readonly<Record<string, string>> = {
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

/** The detail of a case event is the case's kind and, once the case is resolved, its outcome: "recall: refused". */
export function titleOf({ event, detail }: Pick<PayoutEvent, 'event' | 'detail'>): string {
  const [kind = '', outcome = ''] = (detail ?? '').split(': ')
  if (event === 'case_opened') return `${kind === '' ? 'Case' : codeWords(kind)} requested`
  if (event === 'case_resolved') return `${kind === '' ? 'Case' : codeWords(kind)} resolved: ${lowered(outcome)}`
  return events[event] ?? codeWords(event)
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

const caseKinds: Readonly<Record<CaseKind, Readonly<Record<CaseText, string>>>> = {
  recall: {
    name: 'Recall',
    title: 'Request a recall?',
    about:
      'We’ll ask the recipient’s bank to return the money. The recipient has to agree, so the request may be refused.',
    hint: 'For example: paid to the wrong supplier.',
    button: 'Request recall',
    done: 'Recall requested',
  },
  trace: {
    name: 'Trace',
    title: 'Request a trace?',
    about: 'We’ll ask the bank where the money is. The recipient isn’t affected.',
    hint: 'For example: the recipient says it hasn’t arrived.',
    button: 'Request trace',
    done: 'Trace requested',
  },
}
type CaseText = 'name' | 'title' | 'about' | 'hint' | 'button' | 'done'

const tooLate: Readonly<Record<string, string>> = {
  pending: 'The bank may already have this payout, so it can’t be cancelled. This page will show what happens.',
  processing: 'The bank is processing this payout. You can request a recall once it’s completed.',
  completed: 'The money is in the recipient’s account. You can request a recall, which the recipient has to agree to.',
  failed: 'This payout had already failed. You weren’t charged, and the money will go back to your wallet.',
  returned: 'The recipient’s bank has already returned the money.',
}

type CancelFailure =
  | { readonly outcome: 'cancelled' }
  | { readonly outcome: 'too_late' | 'undecided'; readonly title: string; readonly advice: string }
  | { readonly outcome: 'other' }

/** Classifies a failed request to cancel. The money is back in the wallet only if the outcome is `cancelled`. */
export function cancelFailureOf(error: Error): CancelFailure {
  if (error instanceof Unreachable || (error instanceof Refusal && error.status >= 500))
    return { outcome: 'undecided', title: 'We couldn’t confirm the cancellation', advice: 'It’s safe to try again.' }
  const status = stateIn(error)
  // An earlier request succeeded, but its response was lost.
  if (status === 'cancelled') return { outcome: 'cancelled' }
  const advice = tooLate[status ?? '']
  return advice === undefined ? { outcome: 'other' } : { outcome: 'too_late', title: 'Too late to cancel', advice }
}

/** The recipient can correct these reasons. Advice about other reasons, such as a recall, would be wrong. */
const detailReasons =
  /^(invalid_account|account_\w+|name_mismatch|details_refused|currency_not_accepted|reference_required|bank_refused)\b/

export function adviceFor(failureReason: string | null | undefined): string {
  return detailReasons.test(failureReason ?? '') ? texts.verdict.checkDetails : ''
}

interface CostTexts {
  readonly title: string
  readonly recipient: string
  readonly wallet: string
  /** Amount and fee in pounds. Null if only a part of them is final. */
  readonly total: string | null
}

const paid: CostTexts = {
  title: 'Amount and fees',
  recipient: 'Recipient receives',
  wallet: 'Debited from wallet',
  total: 'Total with fee',
}
const notPaid: CostTexts = {
  title: 'Quoted cost (not charged)',
  recipient: 'Recipient would have received',
  wallet: 'Was reserved in wallet',
  total: 'Quoted total with fee',
}

/** A failed or cancelled payout costs nothing. */
const costs: Readonly<Record<Payout['status'], CostTexts>> = {
  pending: { ...paid, wallet: 'Reserved in wallet' },
  processing: paid,
  completed: { ...paid, recipient: 'Recipient received' },
  failed: notPaid,
  cancelled: notPaid,
  returned: { ...paid, recipient: 'Sent to recipient', total: null },
}

const simulations: Readonly<Record<Outcome, readonly [name: string, about: string]>> = {
  settle: ['Settle', 'it is paid'],
  fail: ['Fail…', 'it can’t be delivered'],
  return: ['Return…', 'it is paid, then returned'],
  stall: ['Stall', 'the bank holds it'],
}

const places: Readonly<Record<Environment, string>> = { sandbox: 'the sandbox', live: 'the live environment' }

export const texts = {
  notFound: 'Payout not found',
  notFoundIn: (here: Environment, other: Environment) =>
    `This payout isn’t in ${places[here]}. It may be in ${places[other]}.`,
  lookIn: (other: Environment) => `Look in ${places[other]}`,
  all: 'All payouts',
  payouts: 'Payouts',
  tab: (amount: string, name: string | null) => `${amount} to ${name ?? 'an unnamed recipient'}`,
  about: (name: string | null, last4: string | null) =>
    `to ${name ?? 'an unnamed recipient'}, account ending ${last4 ?? '····'}`,
  verdict: {
    pending: 'Waiting for the bank to confirm. The money is reserved, and the payout can’t be sent twice.',
    cancelled: 'This payout was cancelled before it was sent. You weren’t charged.',
    failed: 'The payout failed.',
    failedAdvice: 'You weren’t charged, and the money will be in your wallet shortly.',
    failedAndRefunded: 'You weren’t charged, and the money is back in your wallet.',
    checkDetails: 'Ask the recipient to confirm their bank details before you send a new payout.',
    returned: 'The payout was returned.',
    returnedAdvice: 'The recipient’s bank returned the money. It will be in your wallet shortly.',
    returnedAndRefunded: 'The recipient’s bank returned the money. It’s back in your wallet.',
  },
  timeline: {
    title: 'Timeline',
    by: (actor: string) => `by ${actor}`,
    waiting: 'Waiting for the bank. This page updates automatically.',
  },
  cost: {
    byStatus: costs,
    fee: 'Fee',
    deducted: 'Fee paid from wallet',
    billed: 'Fee billed monthly',
    rate: 'Rate',
    oneUsd: (gbp: string | number) => `1 USD = ${gbp} GBP`,
  },
  details: {
    title: 'Details',
    reference: 'Reference',
    payoutId: 'Payout ID',
    bankReference: 'Bank reference',
    idempotencyKey: 'Idempotency key',
    created: 'Created',
    createdBy: 'Created by',
    workflow: 'Workflow',
    viewWorkflow: 'View in Temporal',
    copy: {
      reference: 'reference',
      payoutId: 'payout ID',
      bankReference: 'bank reference',
      idempotencyKey: 'idempotency key',
    },
  },
  notes: {
    title: 'Notes',
    none: 'No notes yet.',
    unreadable: 'This note can’t be read.',
    by: (author: string) => `by ${author}`,
    add: 'Add a note',
    hint: 'Only your team sees notes. You can’t edit or delete a note.',
    button: 'Add note',
    tooMany: 'This payout has the maximum number of notes.',
  },
  cases: {
    title: 'Recalls and traces',
    kinds: caseKinds,
    costs: {
      sandbox: 'Recalls and traces are free in the sandbox.',
      live: 'Once the request is resolved, the bank’s charge plus 20% is added to your monthly invoice.',
    },
    recallOrTrace: 'Sent by mistake, or hasn’t arrived? We’ll contact the bank for you.',
    traceOnly: 'Hasn’t arrived? We’ll contact the bank for you.',
    requested: 'Requested',
    requestedBy: 'Requested by',
    replyBy: 'Reply expected by',
    resolved: 'Resolved',
    outcome: 'Outcome',
    charge: 'Charge',
    reason: 'Reason',
    impossible: (status: string) => `This isn’t possible for a ${status} payout.`,
    cancel: 'Cancel',
  },
  cancel: {
    button: 'Cancel payout',
    title: 'Cancel this payout?',
    payout: (amount: string, name: string | null) => `${amount} to ${name ?? 'the recipient'}`,
    about:
      'This payout won’t be sent. You won’t be charged, and the money will go back to your wallet right away. You can only cancel before the bank has accepted the payout.',
    keep: 'Keep payout',
    retry: 'Try again',
    close: 'Close',
    done: 'Payout cancelled',
    notCancelled: 'Payout not cancelled',
  },
  simulate: {
    button: 'Simulate',
    waiting: 'Waiting for the bank…',
    about: 'Choose what the sandbox bank does next. No real money moves.',
    outcomes: simulations,
    failTitle: 'Simulate a failure',
    failButton: 'Fail payout',
    returnTitle: 'Simulate a return',
    returnButton: 'Return payout',
    reason: 'Reason',
    reasonHint: (reason: string) => `The payout’s failure_reason will start with ${reason}.`,
    cancel: 'Cancel',
    started: 'Simulation started',
    stalled: 'Payout stalled',
  },
} as const
