// POST /v1/payouts/check: warns of a payout that may be a duplicate. Stores nothing.
import { Type } from 'typebox'
import { accountHashes } from '../../db/payouts/recipients/sealed'
import { findSimilarPayouts } from '../../db/payouts/similar'
import { nearMissesPerCallerAndHour } from '../../domain/limits'
import { payoutStatuses } from '../../domain/payouts/payout'
import type { ApiDeps } from '../deps'
import { guessesOf } from '../http/callers/rate-limiter'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, ok, post, type Reply, scopeOf } from '../http/route'
import { Answer, Component, Constant, DateTime, OneOf, Uuid } from '../http/schema'
import { checks } from '../http/steps'
import { CreatePayoutRequest, exampleCreatePayoutRequest, payoutFieldErrors } from './request/body'
import { readPayoutRequest } from './request/order'

const PayoutCheck = Component('PayoutCheck', {
  object: Constant('payout_check'),
  similar: Type.Array(Answer({ id: Uuid(), created_at: DateTime(), status: OneOf(payoutStatuses) }), {
    description: 'Payouts of the last 24 hours with the same account and amount, newest first, at most 10.',
  }),
})

export const checkPayoutRoute = post('/v1/payouts/check', 'checkPayout', {
  steps: [
    ...checks(
      'payout.check',
      { by: 'key', partner: 'any' },
      { body: CreatePayoutRequest, fieldErrors: payoutFieldErrors },
    ),
    checkPayout,
  ],
  tag: 'Payouts',
  summary: 'Check for duplicates',
  description:
    'Takes the body of a payout and creates nothing. The result is only a warning: the Idempotency-Key is the protection against duplicates.',
  bodyExample: exampleCreatePayoutRequest,
  reply: ok('Similar payouts.', PayoutCheck, {
    object: 'payout_check',
    similar: [
      {
        id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
        created_at: '2026-11-16T09:30:00.000Z',
        status: 'completed',
      },
    ],
  }),
  errors: ['invalid_amount', 'invalid_recipient', 'corridor_not_enabled'],
})

async function checkPayout(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { db, keyring, clock } = deps
  const { amountPence, details } = readPayoutRequest(bodyOf<typeof CreatePayoutRequest>(request))
  const { sortCode, accountNumber } = details
  const guesses = guessesOf(request.caller, { bucket: 'near-misses', perHour: nearMissesPerCallerAndHour }, deps)
  await guesses.beforeComparison()
  const { similar, isNearMiss } = await findSimilarPayouts(db, scopeOf(request), {
    accountLast4: accountNumber.slice(-4),
    accountHashes: accountHashes(keyring, sortCode, accountNumber),
    amountPence,
    since: new Date(clock.now().getTime() - dayMs),
  })
  if (isNearMiss) await guesses.wasWrong()
  const shown = similar.map(({ id, createdAt, status }) => ({ id, created_at: createdAt.toISOString(), status }))
  return { body: { object: 'payout_check', similar: shown } }
}

const dayMs = 86_400_000
