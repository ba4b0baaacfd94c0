// Why money did not arrive, in the banks' many words and in our few: a stable code, then a sentence.

/** For the reason of a refusal, a return or a deactivated account; all lists of the banks are open, so there is a default. */
export function reasonFor(bankWord: string | null): string {
  return byWord.get((bankWord ?? '').trim().toUpperCase()) ?? reasons.bank_refused
}

export const reasons = {
  invalid_account: 'invalid_account: The bank rejected the account details.',
  account_closed: 'account_closed: The account is closed.',
  account_blocked: 'account_blocked: The account can not take payments at present.',
  account_switched: 'account_switched: The account has moved to another bank.',
  name_mismatch: 'name_mismatch: The name does not belong to this account.',
  reference_required: 'reference_required: The bank needs another reference to find the account.',
  currency_not_accepted: 'currency_not_accepted: The account does not take pounds.',
  recipient_deceased: 'recipient_deceased: The account holder has died.',
  recipient_refused: 'recipient_refused: The recipient sent the payment back.',
  recalled: 'recalled: The payment was called back.',
  duplicate_payment: 'duplicate_payment: The bank took the payment for a repeated one.',
  not_permitted: 'not_permitted: Rules that bind the bank forbid the payment.',
  bank_unavailable: 'bank_unavailable: The recipient’s bank could not be reached.',
  account_inactive: 'account_inactive: The bank no longer pays to this account.',
  partner_not_ready: 'partner_not_ready: The bank wants something of the paying business first.',
  amount_refused: 'amount_refused: The bank does not pay this amount.',
  details_refused: 'details_refused: The bank rejected the recipient’s details.',
  bank_refused: 'bank_refused: The bank could not deliver the payment and gave no reason.',
} as const

export type ReasonCode = keyof typeof reasons

const words: readonly (readonly [ReasonCode, readonly string[]])[] = [
  ['invalid_account', ['AC01', 'AC03', 'PY01', 'BENSCANUNKNOWN', 'INVALID_ACCOUNT_NUMBER', 'INVALID_BANK_VALIDATION']],
  ['invalid_account', ['REJECTED_BY_BANK_PROVIDER', 'FPS_CANNOT_DETERMINE_ROUTE_FOR_PAYMENT']],
  ['account_closed', ['AC07', 'BENACCCLOSED']],
  ['account_blocked', ['AC06', 'AG01', 'BENACCSTOPPED']],
  ['account_switched', ['ACCTRANSFERRED']],
  ['name_mismatch', ['BENACCNAMEBENACCNR']],
  ['reference_required', ['ACCNOREFINFO']],
  ['currency_not_accepted', ['AC09', 'ACCNOCURRENCY']],
  ['recipient_deceased', ['MD09', 'BENDECEASED']],
  ['recipient_refused', ['BENREQ']],
  ['recalled', ['RECALL']],
  ['duplicate_payment', ['DUPLICATE', 'FPS_DUPLICATE_FPID']],
  ['not_permitted', ['REGULATION']],
  ['bank_unavailable', ['BE08', 'FPS_SCHEME_IS_DOWN', 'FPS_SYSTEM_MALFUNCTION']],
  ['account_inactive', ['DEACTIVATED_DUE_TO_BOUNCEBACK', 'DELETED_BY_DEVELOPER', 'REQUESTED_BY_DEVELOPER']],
]

const byWord: ReadonlyMap<string, string> = new Map(
  words.flatMap(([code, list]) => list.map((word): [string, string] => [word, reasons[code]])),
)

/** A word that no list has, for which the default is meant. */
const unexplained = 'MS03'

const wordOf: ReadonlyMap<ReasonCode, string> = new Map([
  ...words.toReversed().map(([code, [word = unexplained]]): [ReasonCode, string] => [code, word]),
  ['bank_refused', unexplained],
])

/** Those that a bank's word can stand for; the others are our own. */
export const bankReasons: readonly ReasonCode[] = [...wordOf.keys()].toSorted()

/** A word for which reasonFor answers this code. */
export function bankWordFor(code: ReasonCode): string {
  return wordOf.get(code) ?? unexplained
}
