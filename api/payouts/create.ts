// POST /v1/payouts: pays once per Idempotency-Key, no matter how often the request is sent.
import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { newId } from '../../db/id'
import { type AccountRow, loadAccount } from '../../db/partners/accounts'
import { type ClaimedRow, findClaim, type IdempotencyKey } from '../../db/payouts/claims'
import { differingFields, fieldsShown, fingerprintOf } from '../../db/payouts/fingerprint'
import { accountHash, hasRecipient, sealDetails } from '../../db/payouts/recipients/sealed'
import { type Caller, nameOf } from '../../db/sign-in/callers'
import { assert } from '../../domain/assert'
import { conflictsPerCallerAndHour } from '../../domain/limits'
import { type Quote, quoteFor, shortfallOf } from '../../domain/payouts/quote'
import { loadRate } from '../bank/rate'
import type { ApiDeps } from '../deps'
import { guessesOf } from '../http/callers/rate-limiter'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, post, type Reply, type RouteDocs, scopeOf } from '../http/route'
import { Component } from '../http/schema'
import type { Confirmation } from '../sign-in/confirm-codes'
import { type Attempt, answerAttempt, awaitDecision, isStored, replayed } from './answer'
import { claimConfirmed, confirmationFor, requireRightCode } from './confirmation'
import { claimChecks, type FoundClaim } from './lookups'
import { examplePayout, Payout, payoutProperties } from './present'
import { exampleQuote, QuoteAnswer, requireAllowed } from './quotes'
import {
  CreatePayoutRequest,
  exampleCreatePayoutRequest,
  IdempotencyKeyHeader,
  payoutFieldErrors,
  RepeatedPayoutRequest,
} from './request/body'
import { type PayoutRequest, readPayoutRequest } from './request/order'

const PayoutCreated = Component('PayoutCreated', { ...payoutProperties, quote: Type.Optional(QuoteAnswer) })

const createPayoutDocs: RouteDocs = {
  summary: 'Create a payout',
  description:
    'Pays the recipient once for each Idempotency-Key. The status is `processing` when the bank has accepted the payout, `failed` ' +
    'when the bank refused its details immediately, and `pending` when the bank has not confirmed it yet. Read a pending payout again later. ' +
    'After `402`, `422` and `502` no payout exists and nothing was sent, and you may send the same key again. The exception is ' +
    '`idempotency_key_reused`: the key belongs to the payout in `details.payout_id`. A caller that reuses Idempotency-Keys with ' +
    `other bodies more than ${conflictsPerCallerAndHour} times an hour gets \`429\` for every used key, and nothing is created.`,
  headers: IdempotencyKeyHeader,
  bodyExample: exampleCreatePayoutRequest,
  reply: {
    status: 201,
    description: 'The payout and its quote.',
    schema: PayoutCreated,
    example: { ...examplePayout, status: 'processing', updated_at: examplePayout.created_at, quote: exampleQuote },
  },
  replay: {
    status: 200,
    description: 'The key was used before. Returns the current state of its payout; nothing is sent again.',
    schema: Payout,
    example: examplePayout,
    headers: { 'Idempotent-Replayed': 'Always `true`.' },
  },
  errors: [
    'insufficient_funds',
    'invalid_amount',
    'invalid_recipient',
    'corridor_not_enabled',
    'recipient_account_rejected',
    'idempotency_key_reused',
    'invalid_confirm_code',
    'payout_not_created',
  ],
}

export const createPayoutRoute = post('/v1/payouts', 'createPayout', {
  steps: [
    ...claimChecks('payout.create', 'key', {
      body: CreatePayoutRequest,
      repeatedBody: RepeatedPayoutRequest,
      fieldErrors: payoutFieldErrors,
    }),
    createPayout,
  ],
  ...createPayoutDocs,
})

export async function createPayout(request: ApiRequest<FoundClaim>, deps: ApiDeps): Promise<Reply> {
  const wanted = readPayoutRequest(bodyOf<typeof CreatePayoutRequest>(request))
  const { idempotencyKey } = request.found
  const key = { ...scopeOf(request), idempotencyKey }
  let { claim } = request.found
  for (let lookup = 1; lookup <= maxLookups; lookup++) {
    const asked = { key, wanted, request }
    const found = claim
    // A repeated request needs no place, because it creates nothing.
    const reply = await (found?.releasedAt === null
      ? repeat(found, asked, deps)
      : deps.admission.admit(
          key,
          () => create(found, asked, deps),
          (error) => refuseUnlessTaken(error, key, deps),
        ))
    if (reply !== null) return reply
    claim = await findClaim(deps.db, key)
  }
  throw new ApiError('service_unavailable')
}

/**
 * Each additional lookup means that another request claimed or released the key since the previous lookup. Ten in a row
 * are not a coincidence, so the request is refused.
 */
const maxLookups = 10

interface Asked {
  readonly key: IdempotencyKey
  readonly wanted: PayoutRequest
  readonly request: ApiRequest
}

async function repeat(claim: ClaimedRow, { key, wanted, request }: Asked, deps: ApiDeps): Promise<Reply | null> {
  const { mayOnlyRepeat, caller } = request
  const attempt = attemptOf(claim, key, caller)
  const guesses = guessesOf(caller, { bucket: 'conflicts', perHour: conflictsPerCallerAndHour }, deps)
  await guesses.beforeComparison()
  const differing_fields =
    differingFields(deps.keyring, claim.fingerprint, wanted.fields) ?? (await anyField(claim, wanted, deps))
  if (differing_fields.length === 0) {
    return isStored(claim) ? replayed(claim) : answerAttempt({ ...attempt, by: 'joiner' }, deps)
  }
  await guesses.wasWrong()
  if (mayOnlyRepeat !== null) throw mayOnlyRepeat
  // The payout with the other body may still be withdrawn. Then the key is free for this request.
  if (!isStored(claim) && (await awaitDecision(attempt, deps))?.releasedAt !== null) return null
  throw new ApiError('idempotency_key_reused', { details: { payout_id: claim.id, differing_fields } })
}

/**
 * Handles a fingerprint whose secret key was removed. The bank details are erased too, so every body counts as
 * different.
 */
async function anyField(
  { id, fingerprint }: ClaimedRow,
  { fields }: PayoutRequest,
  { db }: ApiDeps,
): Promise<string[]> {
  // If the payout still has its details, this error prevents an answer that could make the partner pay again with
  // another key.
  assert(!(await hasRecipient(db, id)), `key ${fingerprint.keyId} must stay in SECRET_KEYS until the rows are resealed`)
  return fieldsShown(Object.keys(fields))
}

async function create(released: ClaimedRow | null, asked: Asked, deps: ApiDeps): Promise<Reply | null> {
  const { key, wanted, request } = asked
  if (released?.isDisputed) throw new ApiError('service_unavailable')
  const confirmation = confirmationFor(asked, deps)
  const affordable = await requirePayable(asked, confirmation, deps).catch((error: unknown) =>
    refuseUnlessTaken(error, key, deps),
  )
  if (affordable === null) return null
  const { account, quote } = affordable

  const at = deps.clock.now()
  const { sortCode, accountNumber } = wanted.details
  const payoutId = released?.id ?? newId(at)
  const accountLast4 = accountNumber.slice(-4)
  const claim = {
    ...key,
    payoutId,
    walletId: account.walletId,
    rail: account.rail,
    fingerprint: fingerprintOf(deps.keyring, wanted.fields),
    reference: wanted.reference,
    country: wanted.country,
    createdVia: request.caller.by === 'key' ? 'api' : 'dashboard',
    createdBy: nameOf(request.caller),
    keyId: request.caller.by === 'key' ? request.caller.keyId : null,
    quote,
    recipientName: wanted.recipientName,
    accountLast4,
    accountHash: accountHash(deps.keyring, sortCode, accountNumber),
    sealedRecipient: sealDetails(deps.keyring, payoutId, wanted.details),
    bankKey: randomUUID(),
    requestId: request.requestId,
    payerId: request.caller.by === 'key' ? request.caller.keyId : request.caller.memberId,
    at,
  } as const
  const claimed = await claimConfirmed(claim, confirmation, deps)
  if (claimed === null) return null
  if (claimed === 'unauthorized') throw new ApiError(claimed)
  if (typeof claimed === 'string') return refuseUnlessTaken(new ApiError(claimed), key, deps)
  const row = { ...claimed, amountPence: wanted.amountPence, accountLast4 }
  const { walletSendsMicroUsdc } = quote
  return answerAttempt({ ...attemptOf(row, key, request.caller), walletSendsMicroUsdc, by: 'claimer' }, deps)
}

/**
 * Another request may have claimed the same key since the lookup. Then this request is a duplicate, and the refusal
 * does not apply.
 */
async function refuseUnlessTaken(error: unknown, key: IdempotencyKey, { db }: ApiDeps): Promise<null> {
  if (error instanceof ApiError && (await findClaim(db, key))?.releasedAt === null) return null
  throw error
}

/** Checks that depend on stored state, in this order: partner, confirm code, limits and country, rate, wallet. */
async function requirePayable(
  { key, wanted, request }: Asked,
  confirmation: Confirmation | null,
  deps: ApiDeps,
): Promise<{ account: AccountRow; quote: Quote }> {
  if (request.mayOnlyRepeat !== null) throw request.mayOnlyRepeat
  await requireRightCode(confirmation, deps)
  const account = await loadAccount(deps.db, { ...key, at: deps.clock.now() })
  requireAllowed(wanted, account)
  const gbpPerUsdNano = await loadRate(account.rail, deps, 'payout_not_created')
  const quote = quoteFor({ amountPence: wanted.amountPence, prices: account, gbpPerUsdNano })
  requireCovered(quote, account)
  return { account, quote }
}

/**
 * An early check, so that an insufficient balance creates neither a row nor a workflow. The debit makes the final
 * decision.
 */
function requireCovered({ walletSendsMicroUsdc, gbpPerUsdNano }: Quote, { balanceMicroUsdc }: AccountRow): void {
  if (balanceMicroUsdc >= walletSendsMicroUsdc) return
  throw new ApiError('insufficient_funds', {
    details: shortfallOf(walletSendsMicroUsdc, balanceMicroUsdc, gbpPerUsdNano),
  })
}

function attemptOf(
  { id, attempt, amountPence, accountLast4 }: Pick<ClaimedRow, 'id' | 'attempt' | 'amountPence' | 'accountLast4'>,
  key: IdempotencyKey,
  { partner }: Caller,
): Omit<Attempt, 'by'> {
  return { ...key, payoutId: id, attempt, slug: partner.slug, status: 'pending', amountPence, accountLast4 }
}
