// Runbook step for each attention code.

interface RunbookStep {
  /** A whole code, or the prefix of codes that end with the bank's own state. */
  readonly code: string
  readonly step: string
}

const steps: readonly RunbookStep[] = [
  {
    code: 'outcome_unknown',
    step: "The bank's lists do not show whether it was sent, because they are incomplete or have an unreadable row. Ask the bank whether it has a transfer with this payout's ID as its reference. Do not pay again before the bank answers, and record the answer with `payout resolve`.",
  },
  {
    code: 'outcome_overdue',
    step: "The bank has taken too long to confirm it. `payout explain` shows what the bank answered, and `bank check` shows whether the bank is reachable. If it is, ask the bank whether it has a transfer with this payout's ID as its reference. The payout continues automatically.",
  },
  {
    code: 'settlement_overdue',
    step: 'The bank has had it for longer than usual. Ask the bank about the transfer that `payout show` names. The payout continues automatically.',
  },
  {
    code: 'refund_missing',
    step: "The bank reports a refund, but the wallet's history has no such deposit. Ask the bank where the money is. The refund is booked automatically once it arrives.",
  },
  {
    code: 'refund_unexplained',
    step: "The wallet's history shows a refund of this payout, but the transfer counts as delivered. Ask the bank which is right. The refund is booked automatically once the transfer shows it. Do not credit it by hand. After `payout attended`, this refund does not raise attention again.",
  },
  {
    code: 'debit_missing',
    step: 'It was about to be sent but was never debited, so nothing was sent. Ask an engineer to check its timeline and ledger entries.',
  },
  {
    code: 'debited_differently',
    step: "The bank has debited a different amount than our ledger. Compare the bank's receipt with the ledger entries, and settle the difference with finance.",
  },
  {
    code: 'unaccounted_transfer',
    step: "The bank has a transfer for it that we did not record, so it may have been paid twice. At the bank, find all transfers with this payout's ID as their reference. Have the surplus one stopped or recalled. If the payout was released, bind its transfer with `payout bind`.",
  },
  {
    code: 'bank_insufficient',
    step: "The bank reports a balance that is too low, but our ledger covers the payout. Compare the wallet's balance at the bank with `wallet show`, and settle the difference. An acknowledged payout waits and can be cancelled. It is sent when the bank's balance covers it.",
  },
  {
    code: 'bank_misconfigured',
    step: "The bank rejected our key, has not enabled a feature for us, or applied our own limit. `payout explain` shows its answer. Run `bank check`. Check the bank's address and key in the configuration, and our limits at the bank. An acknowledged payout waits and can be cancelled. It is sent once the bank accepts our calls again.",
  },
  {
    code: 'bank_says_error',
    step: 'The bank has stopped the transfer without a reason. Ask the bank whether it will deliver or return the money. Do not pay again before the bank answers. The payout continues once the state of the transfer changes.',
  },
  {
    code: 'bank_says_underfunded',
    step: 'The rate has moved, and the sent amount no longer covers the transfer. At the bank, the field additional_funding_instructions.amount of the transfer has the shortfall. Fund it by a transfer to its bridge_transfer rail, or have the bank cancel the transfer. The payout continues automatically.',
  },
  {
    code: 'bank_says_refund_failed',
    step: 'The bank could not return the money to the wallet. Ask the bank where the money is, and have it sent again. The wallet is credited automatically once the bank reports refunded. Do not credit it by hand.',
  },
  {
    code: 'bank_says_kyc_required',
    step: "The bank needs more information about the paying business. Have the partner follow the link to the bank's questions on the Verification page of the dashboard. The payout continues automatically.",
  },
  {
    code: 'bank_says_missing_return_policy',
    step: 'The bank has no address for returns. Have the bank set the sending wallet as the return address. The payout continues automatically.',
  },
  {
    code: 'bank_says_',
    step: 'The bank has put the transfer into a state that needs an operator. Ask the bank what it is waiting for. The payout continues once that is resolved.',
  },
  {
    code: 'can_not_book_charge',
    step: 'It has arrived, but its fee cannot be charged, so it stays open and blocks the next invoice of the partner. The log of the worker has the error. Ask an engineer to fix the cause. The worker retries the charge every minute.',
  },
  {
    code: 'can_not_book_',
    step: 'Our rules do not allow booking the state of the transfer. Compare the transfer at the bank with the timeline, and ask an engineer to decide.',
  },
  {
    code: 'bank_contradicts_',
    step: 'A bank event contradicts our books. Compare the transfer at the bank with the ledger entries. If the bank did send a released payout, run `payout bind`. Otherwise ask an engineer to correct the books. Then see `bank-event list`. The key is refused until then. `payout attended` frees the key of a released payout only with --free-key yes.',
  },
]

/** Null for an unknown code. */
export function nextStepFor(code: string): string | null {
  const found = steps.find((each) => (each.code.endsWith('_') ? code.startsWith(each.code) : code === each.code))
  return found?.step ?? null
}
