// What a person does about a payout that waits for one, by why it waits: the one table of it.

interface Advice {
  /** A whole code, or the beginning of codes that end with the bank's own word. */
  readonly code: string
  readonly step: string
}

const advices: readonly Advice[] = [
  {
    code: 'outcome_unknown',
    step: "The bank's lists do not show whether it was sent, because they are incomplete or have a row that cannot be read: ask the bank for a transfer with this id as its reference, do not pay again before it answers, and record the answer with payout resolve.",
  },
  {
    code: 'outcome_overdue',
    step: 'The bank has not confirmed for too long that it has it: see whether the bank can be reached, then ask it for a transfer with this id as its reference; it goes on by itself.',
  },
  {
    code: 'settlement_overdue',
    step: 'The bank has had it for longer than usual: ask the bank about the transfer that payout show names; it goes on by itself.',
  },
  {
    code: 'refund_missing',
    step: "The bank says that it gave the money back, and the wallet's history has no such deposit: ask the bank where it is; it is booked by itself once it is there.",
  },
  {
    code: 'refund_unexplained',
    step: "The wallet's history has a refund of it, and its transfer counts as delivered: ask the bank which of them is right. It is booked by itself once the transfer says so, and must not be credited by hand; after payout attended this refund is not asked about again.",
  },
  {
    code: 'debit_missing',
    step: 'It was about to be sent and was never debited, so nothing was sent: let an engineer look at its timeline and ledger entries.',
  },
  {
    code: 'debited_differently',
    step: "The bank has debited another amount than our ledger has: compare the bank's receipt with the ledger entries, and settle the difference with finance.",
  },
  {
    code: 'unaccounted_transfer',
    step: 'The bank has a transfer for it that we did not record, so it may have been paid twice: find all transfers with this id as their reference at the bank, and have the surplus one stopped or recalled. If the payout was released, bind its transfer with payout bind.',
  },
  {
    code: 'bank_insufficient',
    step: "The bank says that the wallet is too low, and our ledger covers the payout: compare the wallet's balance at the bank with wallet show, and settle the difference. An acknowledged payout waits, can be cancelled, and is sent when the bank's balance covers it.",
  },
  {
    code: 'bank_misconfigured',
    step: "The bank refused our key, a feature or our own limit: check the bank's address and key in the configuration, and our limits at the bank. An acknowledged payout waits, can be cancelled, and is sent once the bank accepts our calls again.",
  },
  {
    code: 'bank_says_error',
    step: 'The bank has stopped the transfer and does not say why: ask the bank whether the money will be delivered or given back, and do not pay again before it answers; it goes on by itself once its state changes.',
  },
  {
    code: 'bank_says_underfunded',
    step: 'The rate has moved further than what was sent covers: look for the shortfall in additional_funding_instructions.amount of the transfer at the bank, and have it funded by a transfer to its bridge_transfer rail, or have the bank cancel it; it goes on by itself.',
  },
  {
    code: 'bank_says_refund_failed',
    step: 'The bank could not give the money back to the wallet: ask the bank where it is and to send it again; the wallet is credited by itself once the bank says refunded, and must not be credited by hand.',
  },
  {
    code: 'bank_says_kyc_required',
    step: "The bank wants to know more about the paying business first: see compliance, and have the partner follow its link to the bank's questions; it goes on by itself.",
  },
  {
    code: 'bank_says_missing_return_policy',
    step: 'The bank does not know where to give the money back to: have the bank set the wallet that sent it as the place for returns; it goes on by itself.',
  },
  {
    code: 'bank_says_',
    step: 'The bank has put the transfer into a state that needs people: ask the bank what it waits for; it goes on by itself once that is over.',
  },
  {
    code: 'can_not_book_',
    step: 'Our rules do not allow to book what the bank says: compare the transfer at the bank with the timeline, and let an engineer decide.',
  },
  {
    code: 'bank_contradicts_',
    step: 'An event of the bank contradicts our books: compare the transfer at the bank with the ledger entries. A released payout that the bank did send is bound to its transfer with payout bind; otherwise let an engineer correct what is missing. Then see bank-event list. Its key is refused until then; payout attended frees the key of a released one only with --free-key yes.',
  },
]

/** Null for a code that nobody has written down. */
export function nextStepFor(code: string): string | null {
  const found = advices.find((each) => (each.code.endsWith('_') ? code.startsWith(each.code) : code === each.code))
  return found?.step ?? null
}
