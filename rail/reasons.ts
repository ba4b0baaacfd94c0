// Maps the banks' reason codes to ours. A reason is a stable code followed by a sentence that fits both failed and
// returned payouts.

/**
 * Returns the reason for a refusal, a return or a deactivated account. Banks add codes at any time, so an unknown code
 * appears unchanged in the sentence.
 */
export function reasonFor(bankWord: string | null): string {
  const word = (bankWord ?? '').trim()
  const known = byWord.get(word.toUpperCase())
  if (known !== undefined) return known
  return isCode(word) ? `bank_refused: The bank gave the reason code ${word}.` : reasons.bank_refused
}

/**
 * Accepts a short upper-case word, or lower-case words joined by underscores or hyphens, without long numbers. Such a
 * text is a code, and not a name or an account number.
 */
function isCode(word: string): boolean {
  if (word.length > 40 || /\d{5}/.test(word)) return false
  return /^[A-Z][A-Z0-9]+([_-][A-Z0-9]+)*$/.test(word) || /^[a-z][a-z0-9]*([_-][a-z0-9]+)+$/.test(word)
}

export const reasons = {
  invalid_account: 'invalid_account: The bank rejected the account details.',
  account_closed: 'account_closed: The account is closed.',
  account_blocked: 'account_blocked: The account cannot take payments at present.',
  account_switched: 'account_switched: The account has moved to another bank.',
  name_mismatch: 'name_mismatch: The name does not belong to this account.',
  reference_required: 'reference_required: The bank needs another reference to find the account.',
  currency_not_accepted: 'currency_not_accepted: The account does not take pounds.',
  recipient_deceased: 'recipient_deceased: The account holder has died.',
  recipient_refused: 'recipient_refused: The recipient sent the payment back.',
  recalled: 'recalled: The payment was recalled.',
  duplicate_payment: 'duplicate_payment: The bank took the payment for a duplicate.',
  not_permitted: 'not_permitted: The rules that apply to the bank forbid the payment.',
  bank_unavailable: 'bank_unavailable: The recipient’s bank could not be reached.',
  account_inactive: 'account_inactive: The bank no longer pays to this account.',
  partner_not_ready: 'partner_not_ready: The bank requires something from the paying business first.',
  amount_rejected: 'amount_rejected: The bank does not pay this amount.',
  quote_expired: 'quote_expired: The exchange rate moved too far before the payout was sent.',
  details_refused: 'details_refused: The bank rejected the recipient’s details.',
  bank_refused: 'bank_refused: The bank gave no reason.',
} as const

export type ReasonCode = keyof typeof reasons

const unexplained = 'MS03'

/** Our codes with the matching ISO 20022 and bank-specific codes. `bankCodeFor` returns the first match. */
const words: readonly (readonly [ReasonCode, readonly string[]])[] = [
  ['invalid_account', ['AC01', 'AC03', 'PY01', 'BENSCANUNKNOWN', 'INVALID_ACCOUNT_NUMBER', 'INVALID_BANK_VALIDATION']],
  ['invalid_account', ['REJECTED_BY_BANK_PROVIDER', 'FPS_CANNOT_DETERMINE_ROUTE_FOR_PAYMENT']],
  ['invalid_account', ['AC14', 'BE06', 'CNOR', 'RC01', 'RC04', 'RC10', 'RUTA']],
  ['account_closed', ['AC07', 'AC04', 'BENACCCLOSED']],
  ['account_blocked', ['AC06', 'AG01', 'AG03', 'BENACCSTOPPED']],
  ['account_switched', ['ACCTRANSFERRED']],
  ['name_mismatch', ['BENACCNAMEBENACCNR', 'BE01']],
  ['reference_required', ['ACCNOREFINFO']],
  ['currency_not_accepted', ['AC09', 'ACCNOCURRENCY']],
  ['recipient_deceased', ['MD09', 'MD07', 'BENDECEASED']],
  ['recipient_refused', ['BENREQ', 'MS02']],
  ['recalled', ['RECALL', 'FOCR', 'CUST']],
  ['duplicate_payment', ['DUPLICATE', 'AM05', 'DUPL', 'FPS_DUPLICATE_FPID']],
  ['not_permitted', ['REGULATION', 'RR04', 'FR01', 'SL11', 'SL12']],
  ['details_refused', ['BE04', 'BE22', 'RR03']],
  ['bank_unavailable', ['BE08', 'AB05', 'AB06', 'AB07', 'AB08', 'AB09', 'AB10']],
  ['bank_unavailable', ['FPS_SCHEME_IS_DOWN', 'FPS_SYSTEM_MALFUNCTION']],
  ['account_inactive', ['DEACTIVATED_DUE_TO_BOUNCEBACK', 'DELETED_BY_DEVELOPER', 'REQUESTED_BY_DEVELOPER']],
  // "Not specified" and "narrative" contain no information.
  ['bank_refused', [unexplained, 'NARR']],
]

const byWord: ReadonlyMap<string, string> = new Map(
  words.flatMap(([code, list]) => list.map((word): [string, string] => [word, reasons[code]])),
)

const wordOf: ReadonlyMap<ReasonCode, string> = new Map(
  words.toReversed().map(([code, [word = unexplained]]): [ReasonCode, string] => [code, word]),
)

/** The codes that a bank's reason can map to. The other codes are our own. */
export const bankReasons: readonly ReasonCode[] = [...wordOf.keys()].toSorted()

/** Returns a bank code that reasonFor maps to this code, or the code for an unspecified reason. */
export function bankCodeFor(code: ReasonCode): string {
  return wordOf.get(code) ?? unexplained
}
