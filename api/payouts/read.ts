// GET /v1/payouts and GET /v1/payouts/{id}: what became of each payout (§2 Payout, §3).
import { type Static, Type } from 'typebox'
import {
  findPayout,
  listPayouts as listPayoutRows,
  type PayoutFilters,
  type PayoutRow,
  shortTermsAmong,
} from '../../db/payouts/payouts'
import { idempotencyKeyPattern, referenceMaxLength } from '../../domain/limits'
import { formatPence, formatUsdc } from '../../domain/money'
import { createdVia, payoutStatuses } from '../../domain/payouts/payout'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { isNamed } from '../http/etag'
import { pageOf, pageQuery, presentPage, requireCursor } from '../http/list'
import { queryOf } from '../http/requests/typed'
import { type ApiRequest, get, type Reply } from '../http/route'
import {
  Answer,
  Constant,
  DateTime,
  EnvironmentName,
  environmentQuery,
  Instant,
  ListOf,
  MoneyString,
  Nullable,
  OneOf,
  Pattern,
  Strict,
  Text,
  Uuid,
} from '../http/schema'
import { authenticate, authenticateWith, authorize, limit, limitHistoryRead, validate } from '../http/steps'
import { payoutInPath } from './lookups'

/** As in a quote. */
const FeeBreakdown = Answer({
  taken_in_transfer_gbp: MoneyString({ description: "The bank's share, sent by the wallet on top of the amount." }),
  on_monthly_invoice_gbp: MoneyString({ description: 'Charged when a live payout is completed, and only then.' }),
})

export const payoutProperties = {
  id: Uuid(),
  object: Constant('payout'),
  environment: EnvironmentName,
  status: OneOf(payoutStatuses, {
    description:
      'pending: saved, waiting for the bank. processing: on its way. completed: in the account, and charged. ' +
      'failed, cancelled: did not go, nothing charged. returned: sent back by the recipient’s bank.',
  }),
  reference: Type.Optional(Nullable(Type.String())),
  country: Constant('GB'),
  amount_gbp: MoneyString({ description: 'What the recipient receives.' }),
  fee_gbp: MoneyString({ description: 'The total fee: the two parts of fee_breakdown.' }),
  fee_breakdown: FeeBreakdown,
  wallet_sent_usdc: MoneyString(),
  recipient: Answer({ name: Nullable(Type.String()), account_last4: Nullable(Type.String()) }),
  failure_reason: Type.Optional(
    Nullable(
      Type.String({ description: 'A stable code, then a sentence; set when the payout failed or was returned.' }),
    ),
  ),
  created_at: DateTime(),
  updated_at: DateTime(),
  completed_at: Nullable(
    DateTime({
      description: 'When the payout was completed, which decides the month of its charges; kept when it is returned.',
    }),
  ),
  created_via: OneOf(createdVia),
}

export const Payout = Answer(payoutProperties, { title: 'Payout' })

export const examplePayout = {
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
  object: 'payout',
  environment: 'sandbox',
  status: 'completed',
  reference: 'Invoice 1042',
  country: 'GB',
  amount_gbp: '120.00',
  fee_gbp: '2.19',
  fee_breakdown: { taken_in_transfer_gbp: '1.10', on_monthly_invoice_gbp: '1.09' },
  wallet_sent_usdc: '153.30',
  recipient: { name: 'Ada Lovelace', account_last4: '0008' },
  failure_reason: null,
  created_at: '2026-11-16T09:30:00.000Z',
  updated_at: '2026-11-16T09:31:00.000Z',
  completed_at: '2026-11-16T09:31:00.000Z',
  created_via: 'api',
}

const searchMaxLength = 120

// Unknown parameters are refused here: a misspelt filter must not be answered with every payout there is.
export const FilterQuery = Strict({
  ...environmentQuery,
  q: Type.Optional(
    Text({
      minLength: 1,
      maxLength: searchMaxLength,
      description: `A part of the reference or of the name, in any case; or all of the last four digits, or of the id. One or two characters are looked for in the latest ${shortTermsAmong} payouts only.`,
      'x-hint': `1 to ${searchMaxLength} characters`,
    }),
  ),
  status: Type.Optional(OneOf(payoutStatuses, { 'x-hint': payoutStatuses.join(', ') })),
  created_after: Type.Optional(Instant({ description: 'Made at this moment or later.' })),
  created_before: Type.Optional(Instant({ description: 'Made before this moment.' })),
  updated_after: Type.Optional(
    Instant({ description: 'Changed at this moment or later: ask with the time of your last poll, less a minute.' }),
  ),
  reference: Type.Optional(
    Text({ maxLength: referenceMaxLength, 'x-hint': `at most ${referenceMaxLength} characters` }),
  ),
  idempotency_key: Type.Optional(
    Pattern(idempotencyKeyPattern, { 'x-hint': '8 to 100 letters, digits, "_", "-", ":" or "."' }),
  ),
  account_last4: Type.Optional(Pattern(String.raw`^\d{4}$`, { 'x-hint': '4 digits' })),
})

const ListQuery = Strict({ ...pageQuery(), ...FilterQuery.properties })

export const listPayoutsRoute = get('/v1/payouts', {
  steps: [
    authenticate,
    limitHistoryRead,
    authorize('payout.list', { by: 'key', partner: 'any' }),
    validate({ query: ListQuery }),
    listPayouts,
  ],
  docs: {
    operationId: 'listPayouts',
    tag: 'Payouts',
    summary: 'Payouts, newest first',
    reply: {
      status: 200,
      description: 'A page of payouts.',
      schema: ListOf(Payout),
      example: { object: 'list', data: [examplePayout], has_more: true, next_cursor: examplePayout.id },
    },
    errors: ['invalid_request'],
  },
})

async function listPayouts(request: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  const query = queryOf<typeof ListQuery>(request)
  const page = pageOf(query)
  const scope = { partnerId: request.caller.partner.id, environment: request.caller.environment }
  await requireCursor(page, (id) => findPayout(db, scope, id))
  const rows = await listPayoutRows(db, scope, filtersOf(query), page)
  return { body: presentPage(rows, page, { cursorOf: (row) => row.id, present: presentPayout }) }
}

const Params = Answer({ id: Uuid() })

export const getPayoutRoute = get('/v1/payouts/:id', {
  steps: [
    authenticateWith(payoutInPath),
    limit,
    authorize('payout.read', { by: 'key', partner: 'any' }),
    validate({ params: Params }),
    getPayout,
  ],
  docs: {
    operationId: 'getPayout',
    tag: 'Payouts',
    summary: 'One payout',
    description:
      'To follow a payout, ask every few seconds with If-None-Match: an unchanged payout is answered with 304 and no body.',
    headers: Answer({ 'If-None-Match': Type.Optional(Type.String({ description: 'The ETag of an earlier answer.' })) }),
    reply: {
      status: 200,
      description: 'The payout.',
      schema: Payout,
      example: examplePayout,
      headers: { ETag: 'Names this state of the payout.' },
    },
    errors: ['not_found'],
  },
})

async function getPayout(request: ApiRequest<PayoutRow | null>): Promise<Reply> {
  const { found: payout } = request
  if (payout === null) throw new ApiError('not_found')
  const headers = { ETag: etagOf(payout) }
  if (isNamed(headers.ETag, request.header('If-None-Match'))) return { status: 304, body: null, headers }
  return { body: presentPayout(payout), headers }
}

export function presentPayout(payout: PayoutRow): Record<string, unknown> {
  return {
    id: payout.id,
    object: 'payout',
    environment: payout.environment,
    status: payout.status,
    reference: payout.reference,
    country: payout.country,
    amount_gbp: formatPence(payout.amountPence),
    fee_gbp: formatPence(payout.feePence),
    fee_breakdown: {
      taken_in_transfer_gbp: formatPence(payout.feeInTransferPence),
      on_monthly_invoice_gbp: formatPence(payout.feePence - payout.feeInTransferPence),
    },
    wallet_sent_usdc: formatUsdc(payout.walletSendsMicroUsdc),
    recipient: { name: payout.recipientName, account_last4: payout.accountLast4 },
    failure_reason: payout.failureReason,
    created_at: payout.createdAt.toISOString(),
    updated_at: payout.updatedAt.toISOString(),
    completed_at: payout.completedAt?.toISOString() ?? null,
    created_via: payout.createdVia,
  }
}

export function filtersOf(query: Static<typeof FilterQuery>): PayoutFilters {
  return {
    search: query.q,
    status: query.status,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    updatedAfter: query.updated_after,
    reference: query.reference,
    idempotencyKey: query.idempotency_key,
    accountLast4: query.account_last4,
  }
}

/** The status is part of it, because two moves may happen within one millisecond. */
function etagOf({ id, status, updatedAt }: PayoutRow): string {
  return `W/"${id}.${status}.${updatedAt.getTime()}"`
}
