// Classifies the response to a submitted transfer: rejected, not sent or unknown.
import type { NotAccepted, NotSentWhy, SubmitCall } from '../../rail'
import { reasons } from '../../reasons'
import type { Answer } from '../client'
import { readError } from '../map'

/**
 * `ask-balance`: refused, nothing sent, and the wallet's balance shows why. A balance that covers the transfer means a
 * lost race for the wallet, or, if the bank names `source.amount`, an amount that it does not accept.
 */
export type Ruling = NotAccepted | { readonly outcome: 'ask-balance'; readonly ifCovered: 'busy' | 'amount' }

/** A response that is not a transfer. A transfer means accepted, on any call. */
export function rule(call: SubmitCall, answer: Answer): Ruling {
  // An earlier call may still be running, or may have sent the transfer.
  return call === 'repeat' ? unknown() : rowFor(answer).proves(see(answer))
}

/** The rule that classifies the response to the first call. */
export function rowFor(answer: Answer): Row {
  const seen = see(answer)
  return firstCall.find((each) => matches(each, seen)) ?? otherwise
}

interface Row {
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

const otherwise: Row = {
  why: 'anything else (5xx, 424, 409, 422, an unreadable 2xx, a word we do not know) proves nothing',
  proves: unknown,
}

const ofThePartner =
  /^(frozen|has_not_accepted_tos|requires_active_kyc_status|missing_required_endorsements|invalid_geographic_location|missing_address_data)$/
const ofOurs = /^(on_behalf_of|client_reference_id|developer_fee|idempotency-key)$/i

/** For the first call under a bank key. The first matching rule decides. */
export const firstCall: readonly Row[] = [
  { why: 'refused, no name, no route, no TLS: not a byte left', stage: 'unconnected', proves: notSent('unavailable') },
  { why: 'timeout, reset, cut off: it may have arrived', stage: 'sent', proves: unknown },

  { why: 'our key is bad, or the rail is not enabled for us', status: 401, proves: notSent('misconfigured') },
  { why: 'our own limit', status: 403, code: /^developer_limits_exceeded$/, proves: notSent('misconfigured') },
  { why: 'too many requests, this one not taken', status: 429, proves: notSent('busy') },

  // duplicate_record, not_truly_idempotent and similar codes.
  { why: 'a transfer may exist', status: 400, code: /duplicate|idempoten|conflict/, proves: unknown },

  { why: 'the paying business', status: 403, code: ofThePartner, proves: rejectedPartner },
  { why: 'the paying business', status: 400, code: ofThePartner, proves: rejectedPartner },
  { why: 'the account bounced', status: 400, code: /^deactivated_external_account$/, proves: rejectedAccount },
  { why: 'the amount', status: 400, code: /./, field: /^destination\.amount$/, proves: rejectedAmount },
  { why: 'no pounds for us', status: 400, code: /./, field: /^destination\.(payment_rail|currency)$/, proves: ours },
  { why: 'the recipient', status: 400, code: /./, field: /^destination\b/, proves: rejectedDetails },

  { why: 'our request', status: 400, code: /./, field: ofOurs, proves: ours },
  { why: 'our request', status: 400, code: /^(invalid_json|not_found)$/, proves: ours },

  { why: 'the source amount', status: 400, code: /./, field: /^source\.amount$/, proves: askBalance('amount') },

  // The code for "insufficient" is not published, and the loser of two transfers that race for a wallet gets the same one.
  { why: 'too little in the wallet, or busy', status: 400, code: /./, proves: askBalance('busy') },
]

function matches({ stage, status, code, field }: Row, seen: Seen): boolean {
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
