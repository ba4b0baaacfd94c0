// POST /v1/payouts/confirm-codes: emails the code for one live payout, with its amount and recipient in the mail (design §6).
import { Type } from 'typebox'
import { recordActivity } from '../../db/activity'
import { issueCode } from '../../db/codes'
import { enqueueMail } from '../../db/mails'
import { findPartnerById } from '../../db/partners'
import { assert } from '../../domain/assert'
import { formatPence } from '../../domain/money'
import { codeLastsMs, confirmCodesPerMemberAndHour } from '../../domain/sign-in'
import { confirmMessage } from '../../mail/confirm-message'
import type { ApiDeps } from '../deps'
import { ApiError } from '../errors'
import { type ApiRequest, personOf, type Route } from '../route'
import { Answer, Constant, Email, EnvironmentQuery, Strict } from '../schema'
import { boundToPayout } from './payout-confirmation'
import { type PayoutRequest, readPayoutRequest } from './payout-order'
import { CreatePayoutRequest, exampleCreatePayoutRequest, IdempotencyKeyHeader } from './payout-request'
import { bodyOf } from './typed'

const { confirm_code: _, ...payoutFields } = CreatePayoutRequest.properties
const PayoutToConfirm = Strict(payoutFields, { title: 'PayoutToConfirm' })

const ConfirmCodeRequest = Answer(
  {
    object: Constant('code_request'),
    sent_to: Email(),
    expires_in: Type.Integer({ description: 'Seconds for which the code works.' }),
  },
  { title: 'ConfirmCodeRequest' },
)

export const createConfirmCode: Route = {
  method: 'POST',
  path: '/v1/payouts/confirm-codes',
  operationId: 'createConfirmCode',
  tag: 'Payouts',
  summary: 'Email the code for a live payout',
  description:
    'For live payouts from the dashboard. Takes the Idempotency-Key and the body of the payout to come, and emails the code that ' +
    'its creation wants as confirm_code. The code is for exactly this payout; a newer one for it takes its place.',
  access: { by: 'person', action: 'payout.confirm', partner: 'payer', finds: 'claim' },
  query: EnvironmentQuery,
  headers: IdempotencyKeyHeader,
  body: { schema: PayoutToConfirm, example: exampleCreatePayoutRequest },
  reply: {
    status: 202,
    description: 'The code is on its way.',
    schema: ConfirmCodeRequest,
    example: { object: 'code_request', sent_to: 'ada@acme.test', expires_in: codeLastsMs / 1_000 },
  },
  errors: ['invalid_amount', 'invalid_recipient', 'corridor_not_enabled', 'invalid_state'],
  handle: async (request, deps) => {
    const { environment, email } = personOf(request)
    if (request.mayOnlyRepeat !== null) throw request.mayOnlyRepeat
    if (environment === 'sandbox') throw notNeeded('The sandbox needs no code.', { status: 'sandbox' })
    if (request.claim?.releasedAt === null) {
      const { id: payout_id, status } = request.claim
      throw notNeeded('This key has its payout: send the same request again, without a code.', { status, payout_id })
    }
    await mailCode(readPayoutRequest(bodyOf<typeof CreatePayoutRequest>(request)), request, deps)
    const body = { object: 'code_request', sent_to: email, expires_in: codeLastsMs / 1_000 }
    return { status: 202, body, activity: 'written' }
  },
}

function notNeeded(message: string, details: object): ApiError {
  return new ApiError('invalid_state', { message, details })
}

/** Code, mail and activity are one transaction: a code that nobody gets is none. */
async function mailCode(wanted: PayoutRequest, request: ApiRequest, { db, keyring, clock, mails }: ApiDeps) {
  const { partner, environment, memberId, email } = personOf(request)
  const at = clock.now()
  const key = { partnerId: partner.id, environment, idempotencyKey: request.idempotencyKey }
  const owner = await findPartnerById(db, partner.id)
  assert(owner !== null, 'who is signed in has a partner')
  const issued = await db.transaction(async (tx) => {
    const boundTo = boundToPayout(keyring, key, wanted)
    const asked = { purpose: 'confirm', subject: memberId, boundTo, perHour: confirmCodesPerMemberAndHour, at } as const
    const code = await issueCode(tx, keyring, asked)
    if (code.outcome === 'too_many') return code
    const mail = confirmMessage({
      address: email,
      code: code.code,
      amountGbp: formatPence(wanted.amountPence),
      recipientName: wanted.recipientName,
      accountLast4: wanted.details.accountNumber.slice(-4),
      reference: wanted.reference,
      partner: owner.name,
    })
    await enqueueMail(tx, keyring, { kind: 'confirm', mail, at, expiresAt: code.expiresAt })
    const entry = { partnerId: partner.id, at, environment, action: 'payout.confirm', status: 202, madeBy: email }
    const detail = `${formatPence(wanted.amountPence)} GBP`
    await recordActivity(tx, [{ ...entry, changes: 'something', detail, requestId: request.requestId }])
    return code
  })
  if (issued.outcome === 'too_many') throw tooMany(issued.retryAt, at)
  mails.wake()
}

function tooMany(retryAt: Date, now: Date): ApiError {
  const seconds = Math.max(1, Math.ceil((retryAt.getTime() - now.getTime()) / 1_000))
  return new ApiError('rate_limited', {
    message: 'Too many codes were asked for.',
    headers: { 'Retry-After': String(seconds) },
  })
}
