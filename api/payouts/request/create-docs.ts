// OpenAPI metadata of POST /v1/payouts.
import { Type } from 'typebox'
import { conflictsPerCallerAndHour } from '../../../domain/limits'
import type { RouteDocs } from '../../http/route'
import { Answer } from '../../http/schema'
import { examplePayout, Payout, payoutProperties } from '../present'
import { exampleQuote, QuoteAnswer } from '../quotes'
import { exampleCreatePayoutRequest, IdempotencyKeyHeader } from './body'

const PayoutCreated = Answer({ ...payoutProperties, quote: Type.Optional(QuoteAnswer) }, { title: 'PayoutCreated' })

export const createPayoutDocs: RouteDocs = {
  operationId: 'createPayout',
  tag: 'Payouts',
  summary: 'Pay somebody',
  description:
    'Pays the recipient once for each Idempotency-Key. The answer is `processing` once the bank has accepted the payout, `failed` ' +
    'when the bank refused its details at once, and `pending` when the bank has not confirmed it yet: then read it again. ' +
    'After `402`, `422` and `502` no payout exists and nothing was sent, and the same key may be sent again; only after ' +
    '`idempotency_key_reused` there is one, which `details.payout_id` names. An API key or a person that reuses Idempotency-Keys with ' +
    `other bodies more than ${conflictsPerCallerAndHour} times an hour gets \`429\` for every used key; nothing is created.`,
  headers: IdempotencyKeyHeader,
  bodyExample: exampleCreatePayoutRequest,
  reply: {
    status: 201,
    description: 'The payout and the quote it was made at.',
    schema: PayoutCreated,
    example: { ...examplePayout, status: 'processing', updated_at: examplePayout.created_at, quote: exampleQuote },
  },
  replay: {
    status: 200,
    description: 'The key was sent before: the stored payout as it is now. Nothing is sent again.',
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
