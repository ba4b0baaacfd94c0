// OpenAPI metadata of POST /v1/payouts.
import { Type } from 'typebox'
import { conflictsPerCallerAndHour } from '../../../domain/limits'
import type { RouteDocs } from '../../http/route'
import { Component } from '../../http/schema'
import { examplePayout, Payout, payoutProperties } from '../present'
import { exampleQuote, QuoteAnswer } from '../quotes'
import { exampleCreatePayoutRequest, IdempotencyKeyHeader } from './body'

const PayoutCreated = Component('PayoutCreated', { ...payoutProperties, quote: Type.Optional(QuoteAnswer) })

export const createPayoutDocs: RouteDocs = {
  tag: 'Payouts',
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
