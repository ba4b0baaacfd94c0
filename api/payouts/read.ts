// GET /v1/payouts/{id} and GET /v1/payouts/{id}/details: one payout, and additional fields for its details page.
import { Type } from 'typebox'
import { loadPayoutDetails, type PayoutDetailsRow } from '../../db/payouts/details'
import type { PayoutRow } from '../../db/payouts/payouts'
import { formatPence } from '../../domain/money'
import { presentRate } from '../bank/rate'
import type { ApiDeps } from '../deps'
import { IfNoneMatchHeader, matchesEtag } from '../http/prepared-text'
import { type ApiRequest, get, ok, type Reply } from '../http/route'
import { Answer, Component, Constant, MoneyString, Nullable, Uuid } from '../http/schema'
import { payoutChecks, requirePayout } from './lookups'
import { examplePayout, Payout, presentPayout } from './present'
import { exampleQuote } from './quotes'

export const getPayoutRoute = get('/v1/payouts/:id', 'getPayout', {
  steps: [...payoutChecks('payout.read', { by: 'key', partner: 'any' }), getPayout],
  summary: 'Retrieve a payout',
  description:
    'To follow a payout, poll every few seconds with If-None-Match. An unchanged payout gets 304 without a body.',
  headers: IfNoneMatchHeader,
  reply: {
    ...ok('The payout.', Payout, examplePayout),
    headers: { ETag: 'Identifies this state of the payout.' },
  },
  errors: ['not_found'],
})

async function getPayout(request: ApiRequest<PayoutRow | null>): Promise<Reply> {
  const payout = requirePayout(request)
  const headers = { ETag: etagOf(payout) }
  if (matchesEtag(headers.ETag, request.header('If-None-Match'))) return { status: 304, body: null, headers }
  return { body: presentPayout(payout), headers }
}

/** The ETag contains the status, because a payout can change twice within one millisecond. */
function etagOf({ id, status, updatedAt }: PayoutRow): string {
  return `W/"${id}.${status}.${updatedAt.getTime()}"`
}

const PayoutDetails = Component('PayoutDetails', {
  object: Constant('payout_details'),
  id: Uuid(),
  idempotency_key: Type.String(),
  created_by: Type.String({ description: 'The creator: key:<prefix>, or an email.' }),
  exchange_rate: Answer({
    gbp_per_usd: Type.Number({ description: 'The rate that was fixed when the payout was created.' }),
  }),
  fee_breakdown: Answer({
    taken_in_transfer_gbp: MoneyString(),
    on_monthly_invoice_gbp: MoneyString({ description: 'Charged only when the payout is completed.' }),
  }),
  bank_reference: Nullable(Type.String({ description: 'The bank’s ID of the transfer, once the bank has it.' })),
})

export const getPayoutDetailsRoute = get('/v1/payouts/:id/details', 'getPayoutDetails', {
  steps: [...payoutChecks('payout.details', { by: 'key', partner: 'any' }), getPayoutDetails],
  summary: 'Retrieve payout details',
  description:
    'What the payout itself does not show: its Idempotency-Key, its creator, the fixed exchange rate, the parts of the fee and the bank’s reference.',
  reply: ok('The details.', PayoutDetails, {
    object: 'payout_details',
    id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
    idempotency_key: 'order-1001',
    created_by: 'key:kp_sandbox_4f9a1c02',
    exchange_rate: exampleQuote.exchange_rate,
    fee_breakdown: exampleQuote.fee_breakdown,
    bank_reference: 'b7f1c2a0-52a4-4c1d-9d0b-1f0f6c8f6d11',
  }),
  errors: ['not_found'],
})

async function getPayoutDetails(request: ApiRequest<PayoutRow | null>, { db }: ApiDeps): Promise<Reply> {
  const { id } = requirePayout(request)
  return { body: presentDetails(id, await loadPayoutDetails(db, id)) }
}

function presentDetails(id: string, details: PayoutDetailsRow): unknown {
  return {
    object: 'payout_details',
    id,
    idempotency_key: details.idempotencyKey,
    created_by: details.createdBy,
    exchange_rate: { gbp_per_usd: presentRate(details.gbpPerUsdNano) },
    fee_breakdown: {
      taken_in_transfer_gbp: formatPence(details.feeInTransferPence),
      on_monthly_invoice_gbp: formatPence(details.feePence - details.feeInTransferPence),
    },
    bank_reference: details.transferRef,
  }
}
