// Classifies the response to a submitted transfer: rejected, not sent or unknown.
import type { NotAccepted, NotSentWhy, SubmitCall } from '../../rail'
import { reasons } from '../../reasons'
import type { Answer } from '../client'
import { readError } from '../map'

/**
 * `ask-balance`: the bank refused the call and sent nothing, and only the wallet's balance shows why. If the balance
 * covers the transfer, the transfer lost a race with another one from the same wallet (`busy`). If the error names
 * `source.amount`, the bank may have rejected the amount instead (`amount`).
 */
export type Ruling = NotAccepted | { readonly outcome: 'ask-balance'; readonly ifCovered: 'busy' | 'amount' }

/**
 * Classifies a response that contains no transfer. A response with a transfer means that the bank accepted it, on a
 * first or a repeated call.
 */
export function rule(call: SubmitCall, answer: Answer): Ruling {
  // An earlier call may still be running, or may have sent the transfer.
  return call === 'repeat' ? unknown() : ruleFor(answer).proves(see(answer))
}

/** Finds the rule that classifies the response to the first call. */
export function ruleFor(answer: Answer): Rule {
  const seen = see(answer)
  return firstCallRules.find((each) => matches(each, seen)) ?? otherwise
}

interface Rule {
  readonly why: string
  readonly stage?: Answer['stage']
  readonly status?: number
  /** A rule with a code requires the bank's error format. */
  readonly code?: RegExp
  readonly field?: RegExp
  readonly proves: (seen: Seen) => Ruling
}

interface Seen {
  readonly stage: Answer['stage']
  readonly status: number | null
  readonly code: string | null
  readonly field: string | null
  readonly retryAfterMs: number | null
}

const otherwise: Rule = {
  why: 'any other response (5xx, 424, 409, 422, an unreadable 2xx, an unknown code) proves nothing',
  proves: unknown,
}

const ofThePartner =
  /^(frozen|has_not_accepted_tos|requires_active_kyc_status|missing_required_endorsements|invalid_geographic_location|missing_address_data)$/
const ofOurs = /^(on_behalf_of|client_reference_id|developer_fee|idempotency-key)$/i

/** The rules for the first call with a bank key. The first matching rule applies. */
export const firstCallRules: readonly Rule[] = [
  { why: 'no connection, DNS, route or TLS: nothing was sent', stage: 'unconnected', proves: notSent('unavailable') },
  { why: 'timeout or lost connection: the request may have arrived', stage: 'sent', proves: unknown },

  { why: 'our key is invalid, or the rail is not enabled for us', status: 401, proves: notSent('misconfigured') },
  {
    why: 'we exceeded our limit at the bank',
    status: 403,
    code: /^developer_limits_exceeded$/,
    proves: notSent('misconfigured'),
  },
  { why: 'rate limited, so the request was not processed', status: 429, proves: notSent('busy') },

  // Matches duplicate_record, not_truly_idempotent and similar codes.
  { why: 'a transfer may exist', status: 400, code: /duplicate|idempoten|conflict/, proves: unknown },

  { why: 'the paying business is not allowed to pay', status: 403, code: ofThePartner, proves: rejectedPartner },
  { why: 'the paying business is not allowed to pay', status: 400, code: ofThePartner, proves: rejectedPartner },
  { why: 'the account is deactivated', status: 400, code: /^deactivated_external_account$/, proves: rejectedAccount },
  { why: 'invalid amount', status: 400, code: /./, field: /^destination\.amount$/, proves: rejectedAmount },
  {
    why: 'GBP payments are not enabled for us',
    status: 400,
    code: /./,
    field: /^destination\.(payment_rail|currency)$/,
    proves: ours,
  },
  { why: 'invalid recipient', status: 400, code: /./, field: /^destination\b/, proves: rejectedDetails },

  { why: 'invalid field in our request', status: 400, code: /./, field: ofOurs, proves: ours },
  { why: 'invalid request', status: 400, code: /^(invalid_json|not_found)$/, proves: ours },

  { why: 'invalid source amount', status: 400, code: /./, field: /^source\.amount$/, proves: askBalance('amount') },

  // The bank does not publish its code for an insufficient balance. A transfer that loses a race for the wallet gets
  // the same code.
  { why: 'the balance is too low, or the wallet is busy', status: 400, code: /./, proves: askBalance('busy') },
]

function matches({ stage, status, code, field }: Rule, seen: Seen): boolean {
  return (
    (stage === undefined || stage === seen.stage) &&
    (status === undefined || status === seen.status) &&
    (code === undefined || (seen.code !== null && code.test(seen.code))) &&
    (field === undefined || (seen.field !== null && field.test(seen.field)))
  )
}

function see(answer: Answer): Seen {
  if (answer.stage !== 'answered') return { ...nothing, stage: answer.stage }
  const { stage, status, retryAfterMs, body } = answer
  return { stage, status, retryAfterMs, ...readError(body) }
}

const nothing = { status: null, code: null, field: null, retryAfterMs: null }

function notSent(why: NotSentWhy): (seen: Seen) => Ruling {
  return ({ retryAfterMs }) => ({ outcome: 'not-sent', why, retryAfterMs })
}

function askBalance(ifCovered: 'busy' | 'amount'): () => Ruling {
  return () => ({ outcome: 'ask-balance', ifCovered })
}

function ours(seen: Seen): Ruling {
  return notSent('misconfigured')(seen)
}

function rejectedPartner(): Ruling {
  return { outcome: 'rejected', who: 'partner', reason: reasons.partner_not_ready }
}

function rejectedAccount(): Ruling {
  return { outcome: 'rejected', who: 'recipient', reason: reasons.account_inactive }
}

function rejectedDetails(): Ruling {
  return { outcome: 'rejected', who: 'recipient', reason: reasons.details_refused }
}

function rejectedAmount(): Ruling {
  return { outcome: 'rejected', who: 'amount', reason: reasons.amount_rejected }
}

function unknown(): Ruling {
  return { outcome: 'unknown' }
}
