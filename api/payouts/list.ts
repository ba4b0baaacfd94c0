// GET /v1/payouts, .csv and /totals: a partner's payouts with filters, as pages, as one file or as sums.
import { type Static, Type } from 'typebox'
import {
  findPayout,
  listPayouts as listPayoutRows,
  type PayoutFilters,
  type PayoutRow,
  type PayoutTotal,
  payoutOrders,
  shortTermsAmong,
  sumPayouts,
} from '../../db/payouts/payouts'
import { idempotencyKeyPattern, referenceMaxLength } from '../../domain/limits'
import { formatPence, formatUsdc, parsePence } from '../../domain/money'
import { londonDayOf } from '../../domain/month'
import { payoutStatuses } from '../../domain/payouts/payout'
import type { ApiDeps } from '../deps'
import { csvReply, csvShape } from '../http/csv-export'
import { listShape, pageQuery, pageReply } from '../http/list'
import { queryOf } from '../http/requests/read-request'
import { type ApiRequest, get, ok, type Reply, scopeOf } from '../http/route'
import {
  Answer,
  Component,
  Constant,
  environmentQuery,
  Instant,
  MoneyString,
  OneOf,
  Pattern,
  SeveralOf,
  Strict,
  severalIn,
  Text,
} from '../http/schema'
import { historyChecks } from '../http/steps'
import { examplePayout, Payout, presentPayout } from './present'

const searchMaxLength = 120
/** For `key:<prefix>` or an email address. */
const callerMaxLength = 254

const Amount = (description: string) =>
  Type.Optional(Pattern(String.raw`^\d{1,12}\.\d{2}$`, { description, 'x-hint': 'an amount such as 120.00' }))

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
  status: Type.Optional(
    SeveralOf(payoutStatuses, {
      description: 'One status, or several separated by commas, such as failed,returned.',
    }),
  ),
  created_after: Type.Optional(Instant({ description: 'Created at this time or later.' })),
  created_before: Type.Optional(Instant({ description: 'Created before this time.' })),
  completed_after: Type.Optional(Instant({ description: 'Completed at this time or later, even if returned since.' })),
  completed_before: Type.Optional(Instant({ description: 'Completed before this time, even if returned since.' })),
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
  amount_min: Amount('Payouts of this amount or more, in pounds.'),
  amount_max: Amount('Payouts of this amount or less, in pounds.'),
  created_by: Type.Optional(
    Text({
      minLength: 1,
      maxLength: callerMaxLength,
      description: 'The creator, as in the payout details: key:<prefix>, or an email.',
      'x-hint': `1 to ${callerMaxLength} characters`,
    }),
  ),
})

const sortQuery = {
  sort: Type.Optional(
    OneOf(payoutOrders, {
      default: 'newest',
      description:
        'The order of the list: the newest, the oldest, the largest or the smallest payout first. Use the same value for all pages.',
      'x-hint': payoutOrders.join(', '),
    }),
  ),
}

const ListQuery = Strict({ ...pageQuery(), ...sortQuery, ...FilterQuery.properties })
const ExportQuery = Strict({ ...sortQuery, ...FilterQuery.properties })

export const listPayoutsRoute = get('/v1/payouts', 'listPayouts', {
  steps: [...historyChecks('payout.list', { by: 'key', partner: 'any' }, { query: ListQuery }), listPayouts],
  summary: 'List payouts',
  description:
    'Newest first, unless sort says otherwise. Every filter is optional, and a payout must match all of them.',
  reply: listShape('A page of payouts.', Payout, [examplePayout], examplePayout.id),
  errors: ['invalid_request'],
})

async function listPayouts(request: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  const query = queryOf<typeof ListQuery>(request)
  const scope = scopeOf(request)
  return pageReply(query, {
    find: (id) => findPayout(db, scope, id),
    read: (page) => listPayoutRows(db, scope, filtersOf(query), { ...page, order: query.sort }),
    cursorOf: ({ id }) => id,
    present: presentPayout,
  })
}

export const exportPayoutsRoute = get('/v1/payouts.csv', 'exportPayouts', {
  steps: [...historyChecks('payout.export', { by: 'key', partner: 'any' }, { query: ExportQuery }), exportPayouts],
  summary: 'Export payouts as CSV',
  description:
    'Accepts the same filters and `sort` as the list and returns all matching payouts. `wallet_sent_usdc` is `0.00` for failed and cancelled payouts. Import the columns `account_last4` and `idempotency_key` as text: spreadsheets that guess types drop leading zeros and round long numbers. A key that starts with `-` has an apostrophe before it, so that no spreadsheet runs it as a formula.',
  reply: csvShape,
  errors: ['invalid_request'],
})

async function exportPayouts(request: ApiRequest, { db, clock }: ApiDeps): Promise<Reply> {
  const query = queryOf<typeof ExportQuery>(request)
  const filters = filtersOf(query)
  return csvReply<PayoutRow>({
    fileName: `payouts-${request.caller.environment}-${londonDayOf(clock.now())}`,
    columns,
    read: (page) => listPayoutRows(db, scopeOf(request), filters, { ...page, order: query.sort }),
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
      { number: formatUsdc(isUnpaid(payout) ? 0n : payout.walletSendsMicroUsdc) },
      payout.failureReason ?? '',
      payout.createdVia,
      payout.completedAt?.toISOString() ?? '',
      { number: formatPence(payout.feePence - payout.feeInTransferPence) },
      payout.idempotencyKey,
    ],
  })
}

/** The wallet gets back the money that was reserved for these payouts, so sums of the column must not include it. */
const isUnpaid = ({ status }: PayoutRow) => status === 'failed' || status === 'cancelled'

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
  'idempotency_key',
]

const totalProperties = {
  count: Type.Integer({ minimum: 0 }),
  amount_gbp: MoneyString({ description: 'The sum of the amounts.' }),
  fee_gbp: MoneyString({
    description: 'The sum of the fees. Fees of payouts that were not completed are not charged.',
  }),
}

const PayoutTotals = Component('PayoutTotals', {
  object: Constant('payout_totals'),
  ...totalProperties,
  by_status: Type.Array(Answer({ status: OneOf(payoutStatuses), ...totalProperties }), {
    description: 'The totals for each status that occurs.',
  }),
})

export const getPayoutTotalsRoute = get('/v1/payouts/totals', 'getPayoutTotals', {
  steps: [...historyChecks('payout.totals', { by: 'key', partner: 'any' }, { query: FilterQuery }), getPayoutTotals],
  summary: 'Count and sum payouts',
  description:
    'Accepts the same filters as the list. If the account has so many matching payouts that counting them takes too long, the answer is 503 `service_unavailable`: narrow the filters.',
  reply: ok('The totals of all matching payouts.', PayoutTotals, {
    object: 'payout_totals',
    count: 3,
    amount_gbp: '360.00',
    fee_gbp: '6.57',
    by_status: [
      { status: 'completed', count: 2, amount_gbp: '240.00', fee_gbp: '4.38' },
      { status: 'failed', count: 1, amount_gbp: '120.00', fee_gbp: '2.19' },
    ],
  }),
  errors: ['invalid_request'],
})

async function getPayoutTotals(request: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  const totals = await sumPayouts(db, scopeOf(request), filtersOf(queryOf<typeof FilterQuery>(request)))
  const ordered = payoutStatuses.flatMap((status) => totals.filter((total) => total.status === status))
  const by_status = ordered.map((total) => ({ status: total.status, ...presentTotal([total]) }))
  return { body: { object: 'payout_totals', ...presentTotal(totals), by_status } }
}

function presentTotal(totals: readonly Omit<PayoutTotal, 'status'>[]) {
  const sumOf = (field: 'amountPence' | 'feePence') => totals.reduce((sum, total) => sum + total[field], 0n)
  return {
    count: totals.reduce((sum, { count }) => sum + count, 0),
    amount_gbp: formatPence(sumOf('amountPence')),
    fee_gbp: formatPence(sumOf('feePence')),
  }
}

function filtersOf(query: Static<typeof FilterQuery>): PayoutFilters {
  return {
    search: query.q,
    statuses: severalIn(payoutStatuses, query.status),
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    completedAfter: query.completed_after,
    completedBefore: query.completed_before,
    updatedAfter: query.updated_after,
    reference: query.reference,
    idempotencyKey: query.idempotency_key,
    accountLast4: query.account_last4,
    minPence: penceIn(query.amount_min),
    maxPence: penceIn(query.amount_max),
    createdBy: query.created_by,
  }
}

function penceIn(amount: string | undefined): bigint | undefined {
  return amount === undefined ? undefined : (parsePence(amount) ?? undefined)
}
