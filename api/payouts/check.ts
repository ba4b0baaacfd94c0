// POST /v1/payouts/check: warns if a payout may be a duplicate. Stores nothing.
import { Type } from 'typebox'
import { accountHashes } from '../../db/payouts/recipients/sealed'
import { findSimilarPayouts } from '../../db/payouts/similar'
import { nearMissesPerCallerAndHour } from '../../domain/limits'
import { payoutStatuses } from '../../domain/payouts/payout'
import { cleanReference, ownerName } from '../../rail/provider/reference'
import type { ApiDeps } from '../deps'
import { guessesOf } from '../http/callers/rate-limiter'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, ok, post, type Reply, scopeOf } from '../http/route'
import { Answer, Component, Constant, DateTime, Nullable, OneOf, Uuid } from '../http/schema'
import { checks } from '../http/steps'
import { CreatePayoutRequest, exampleCreatePayoutRequest, payoutFieldErrors } from './request/body'
import { readPayoutRequest } from './request/order'

const PayoutCheck = Component('PayoutCheck', {
  object: Constant('payout_check'),
  similar: Type.Array(Answer({ id: Uuid(), created_at: DateTime(), status: OneOf(payoutStatuses) }), {
    description: 'Payouts of the last 24 hours with the same account and amount, newest first, at most 10.',
  }),
  bank_receives: Answer(
    {
      recipient_name: Type.String({ description: '`first_name` and `last_name`, at most 35 characters.' }),
      reference: Nullable(Type.String({ description: 'At most 18 characters. The recipient sees it.' })),
    },
    {
      description:
        'The name and the reference as the bank receives them: without characters that it does not support, shortened to its limits.',
    },
  ),
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
  summary: 'Check for duplicates',
  description:
    'Accepts the same body as POST /v1/payouts and creates nothing. The result is only a warning: the Idempotency-Key is the protection against duplicates.',
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
    bank_receives: { recipient_name: 'Ada Lovelace', reference: 'Invoice 1042' },
  }),
  errors: ['invalid_amount', 'invalid_recipient', 'corridor_not_enabled'],
})

async function checkPayout(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { db, keyring, clock } = deps
  const { amountPence, reference, details } = readPayoutRequest(bodyOf<typeof CreatePayoutRequest>(request))
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
  const bankReceives = { recipient_name: ownerName(details), reference: cleanReference(reference) ?? null }
  return { body: { object: 'payout_check', similar: shown, bank_receives: bankReceives } }
}

const dayMs = 86_400_000
