// The confirm code for a live payout from the dashboard, bound to its key and all its fields. Claiming the key consumes
// the code.

import { type Claim, claimPayout, type IdempotencyKey } from '../../db/payouts/claims'
import { giveCodeBack } from '../../db/sign-in/codes'
import { formatPence } from '../../domain/money'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, personOf, post } from '../http/route'
import { Body } from '../http/schema'
import {
  type BoundAction,
  type Confirmable,
  type Confirmation,
  confirmationOf,
  confirmCodeDocs,
  mailConfirmCode,
  noCodeNeeded,
  useConfirmCode,
} from '../sign-in/confirm-codes'
import { claimChecks, type FoundClaim } from './lookups'
import {
  CreatePayoutRequest,
  exampleCreatePayoutRequest,
  IdempotencyKeyHeader,
  payoutFieldErrors,
} from './request/body'
import { type PayoutRequest, readPayoutRequest } from './request/order'

const { confirm_code: _, ...payoutFields } = CreatePayoutRequest.properties
const PayoutToConfirm = Body('PayoutToConfirm', payoutFields)

export const createConfirmCodeRoute = post('/v1/payouts/confirm-codes', 'createConfirmCode', {
  steps: [
    ...claimChecks('payout.confirm', 'person', { body: PayoutToConfirm, fieldErrors: payoutFieldErrors }),
    mailConfirmCode('payout.confirm', confirmPayout),
  ],
  ...confirmCodeDocs,
  summary: 'Send a code to create a live payout',
  headers: IdempotencyKeyHeader,
  bodyExample: exampleCreatePayoutRequest,
  errors: ['invalid_state', 'invalid_amount', 'invalid_recipient', 'corridor_not_enabled'],
})

async function confirmPayout(request: ApiRequest<FoundClaim>): Promise<Confirmable> {
  const { environment, partner } = personOf(request)
  const { claim, idempotencyKey } = request.found
  if (request.mayOnlyRepeat !== null) throw request.mayOnlyRepeat
  if (environment === 'sandbox') throw noCodeNeeded('The sandbox needs no code.', { status: 'sandbox' })
  if (claim?.releasedAt === null) {
    const { id: payout_id, status } = claim
    throw noCodeNeeded('This key already has a payout: send the same request again, without a code.', {
      status,
      payout_id,
    })
  }
  const wanted = readPayoutRequest(bodyOf<typeof CreatePayoutRequest>(request))
  const { amountPence, recipientName, reference, details } = wanted
  const amountGbp = formatPence(amountPence)
  const { sortCode, accountNumber } = details
  const key = { partnerId: partner.id, environment, idempotencyKey }
  return {
    bound: boundToPayout(key, wanted),
    mail: { what: 'payout', amountGbp, recipientName, sortCode, accountLast4: accountNumber.slice(-4), reference },
    activity: { environment, detail: `${amountGbp} GBP` },
  }
}

/** Null if no code is needed: for API keys, and in the sandbox. */
export function confirmationFor(
  { key, wanted, request }: { key: IdempotencyKey; wanted: PayoutRequest; request: ApiRequest },
  deps: Pick<ApiDeps, 'keyring'>,
): Confirmation | null {
  const { caller } = request
  if (caller.by === 'key' || caller.environment === 'sandbox') return null
  return confirmationOf(boundToPayout(key, wanted), wanted.confirmCode, request, deps)
}

export function boundToPayout({ environment, idempotencyKey }: IdempotencyKey, { fields }: PayoutRequest): BoundAction {
  return { action: 'payout.create', fields: { ...fields, environment, idempotency_key: idempotencyKey } }
}

/**
 * Checks the code without consuming it, because the payout may still be refused. A wrong code counts as an attempt.
 */
export async function requireRightCode(
  confirmation: Confirmation | null,
  deps: Pick<ApiDeps, 'db' | 'keyring' | 'clock'>,
): Promise<void> {
  if (confirmation === null) return
  if (confirmation.code === null) throw new ApiError('invalid_confirm_code')
  const isRight = await deps.db.transaction(async (tx) => {
    const used = await useConfirmCode(tx, confirmation, { at: deps.clock.now() }, deps)
    if (used !== null) await giveCodeBack(tx, used)
    return used !== null
  })
  if (!isRight) throw new ApiError('invalid_confirm_code')
}

/**
 * Claims the key and consumes the code, both or neither. Returns null if the key is taken or the code has just been
 * used. Only a request with the same key can use that code, so the caller looks up the key again. For an API key, the
 * claim itself checks the rights. For a person, the transaction does.
 */
export async function claimConfirmed(
  claim: Claim,
  confirmation: Confirmation | null,
  deps: Pick<ApiDeps, 'db' | 'keyring'>,
): ReturnType<typeof claimPayout> {
  if (claim.keyId !== null) return claimPayout(deps.db, claim)
  if (confirmation === null) return deps.db.transaction((tx) => claimPayout(tx, claim))
  return deps.db.transaction(async (tx) => {
    const used = await useConfirmCode(tx, confirmation, { at: claim.at, usedFor: claim.payoutId }, deps)
    if (used === null) return null
    const claimed = await claimPayout(tx, claim)
    if (claimed === null || typeof claimed === 'string') await giveCodeBack(tx, used)
    return claimed
  })
}
