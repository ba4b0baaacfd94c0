// GET /v1/payouts and GET /v1/payouts.csv: a partner's payouts with filters, as pages or as one file.
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
import { londonDayOf } from '../../domain/month'
import { payoutStatuses } from '../../domain/payouts/payout'
import type { ApiDeps } from '../deps'
import { csvReply, csvShape } from '../http/csv-export'
import { listShape, pageQuery, pageReply } from '../http/list'
import { queryOf } from '../http/requests/read-request'
import { type ApiRequest, get, type Reply, scopeOf } from '../http/route'
import { environmentQuery, Instant, OneOf, Pattern, Strict, Text } from '../http/schema'
import { historyChecks } from '../http/steps'
import { examplePayout, Payout, presentPayout } from './present'

const searchMaxLength = 120

// Unknown parameters are refused: a misspelt filter must not return every payout.
const FilterQuery = Strict({
  ...environmentQuery,
  q: Type.Optional(
    Text({
      minLength: 1,
      maxLength: searchMaxLength,
      description: `Part of the reference or of the name, ignoring case; or exactly the last four digits, or the ID. Terms of one or two characters search only the latest ${shortTermsAmong} payouts.`,
      'x-hint': `1 to ${searchMaxLength} characters`,
    }),
  ),
  status: Type.Optional(OneOf(payoutStatuses, { 'x-hint': payoutStatuses.join(', ') })),
  created_after: Type.Optional(Instant({ description: 'Created at this time or later.' })),
  created_before: Type.Optional(Instant({ description: 'Created before this time.' })),
  updated_after: Type.Optional(
    Instant({ description: 'Changed at this time or later. Use the time of your last poll minus one minute.' }),
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

export const listPayoutsRoute = get('/v1/payouts', 'listPayouts', {
  steps: [...historyChecks('payout.list', { by: 'key', partner: 'any' }, { query: ListQuery }), listPayouts],
  tag: 'Payouts',
  summary: 'List payouts',
  reply: listShape('A page of payouts.', Payout, [examplePayout], examplePayout.id),
  errors: ['invalid_request'],
})

async function listPayouts(request: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  const query = queryOf<typeof ListQuery>(request)
  const scope = scopeOf(request)
  return pageReply(query, {
    find: (id) => findPayout(db, scope, id),
    read: (page) => listPayoutRows(db, scope, filtersOf(query), page),
    cursorOf: ({ id }) => id,
    present: presentPayout,
  })
}

export const exportPayoutsRoute = get('/v1/payouts.csv', 'exportPayouts', {
  steps: [...historyChecks('payout.export', { by: 'key', partner: 'any' }, { query: FilterQuery }), exportPayouts],
  tag: 'Payouts',
  summary: 'Export payouts as CSV',
  description:
    'Takes the filters of the list and returns all matching payouts. Import the column `account_last4` as text: spreadsheets that guess types drop leading zeros.',
  reply: csvShape,
  errors: ['invalid_request'],
})

async function exportPayouts(request: ApiRequest, { db, clock }: ApiDeps): Promise<Reply> {
  const filters = filtersOf(queryOf<typeof FilterQuery>(request))
  return csvReply<PayoutRow>({
    fileName: `payouts-${request.caller.environment}-${londonDayOf(clock.now())}`,
    columns,
    read: (page) => listPayoutRows(db, scopeOf(request), filters, page),
    cellsOf: (payout) => [
      payout.id,
      payout.createdAt.toISOString(),
      payout.updatedAt.toISOString(),
      payout.status,
      payout.recipientName ?? '',
      payout.accountLast4 ?? '',
      payout.reference ?? '',
      { number: formatPence(payout.amountPence) },
      { number: formatPence(payout.feePence) },
      { number: formatUsdc(payout.walletSendsMicroUsdc) },
      payout.failureReason ?? '',
      payout.createdVia,
      payout.completedAt?.toISOString() ?? '',
      { number: formatPence(payout.feePence - payout.feeInTransferPence) },
    ],
  })
}

const columns = [
  'id',
  'created_at',
  'updated_at',
  'status',
  'recipient_name',
  'account_last4',
  'reference',
  'amount_gbp',
  'fee_gbp',
  'wallet_sent_usdc',
  'failure_reason',
  'created_via',
  'completed_at',
  'fee_on_monthly_invoice_gbp',
]

function filtersOf(query: Static<typeof FilterQuery>): PayoutFilters {
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
