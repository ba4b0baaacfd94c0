// GET /v1/usage: the usage in the current month so far. GET /v1/usage/history: the usage in recent months, for a chart.
import { Type } from 'typebox'
import { loadInvoiceSoFar, loadUsage, loadUsageHistory, type MonthUsage, type UsageRow } from '../../db/invoices/usage'
import { invoiceLineKinds, type MadeInvoice } from '../../domain/invoices/invoice'
import { formatPence } from '../../domain/money'
import { firstDayOf, londonMonthOf, type Month, previousMonth } from '../../domain/month'
import type { ApiDeps } from '../deps'
import { listShape, presentList } from '../http/list'
import { queryOf } from '../http/requests/read-request'
import { type ApiRequest, get, ok, type Reply, scopeOf } from '../http/route'
import { Answer, CalendarDate, Component, Constant, environmentQuery, MoneyString, OneOf, Strict } from '../http/schema'
import { historyChecks } from '../http/steps'

export const Usage = Component('Usage', {
  object: Constant('usage'),
  period_start: CalendarDate({ description: 'The first day of the month, which begins at midnight in London.' }),
  payouts: Answer({
    count: Type.Integer({ description: 'Payouts created in the month.' }),
    completed: Type.Integer({ description: 'Payouts completed in the month. The two sums cover these payouts.' }),
    paid_to_sellers_gbp: MoneyString(),
    fees_gbp: MoneyString({ description: 'Total fees: taken in transfers plus invoiced.' }),
  }),
  invoice_so_far: Answer({
    lines: Type.Array(
      Answer({
        kind: OneOf(invoiceLineKinds),
        amount_gbp: MoneyString({ description: 'Credits are positive too.' }),
      }),
    ),
    total_gbp: MoneyString({ description: 'Charges less credits, never below 0.00.' }),
  }),
})

export const exampleUsage = {
  object: 'usage',
  period_start: '2026-11-01',
  payouts: { count: 42, completed: 40, paid_to_sellers_gbp: '4800.00', fees_gbp: '87.60' },
  invoice_so_far: {
    lines: [
      { kind: 'payout_fees', amount_gbp: '43.60' },
      { kind: 'monthly_account', amount_gbp: '15.00' },
      { kind: 'network_fees', amount_gbp: '0.79' },
    ],
    total_gbp: '59.39',
  },
}

export const getUsageRoute = get('/v1/usage', 'getUsage', {
  steps: [...historyChecks('usage.read', { by: 'key', partner: 'any' }), getUsage],
  summary: 'Retrieve usage of the current month',
  description:
    'The invoice of this month as if it were issued now, with charges that came too late for the previous one. The sandbox shows its payouts but is never charged, so its invoice is empty.',
  reply: ok('The month so far.', Usage, exampleUsage),
})

async function getUsage(request: ApiRequest, { db, clock }: ApiDeps): Promise<Reply> {
  const scope = scopeOf(request)
  const now = clock.now()
  const [usage, soFar] = await Promise.all([loadUsage(db, scope, now), loadInvoiceSoFar(db, scope, now)])
  return { body: presentUsage(usage, soFar) }
}

export function presentUsage(usage: UsageRow, soFar: MadeInvoice): unknown {
  return {
    object: 'usage',
    period_start: usage.periodStart,
    payouts: {
      count: usage.count,
      completed: usage.completed,
      paid_to_sellers_gbp: formatPence(usage.paidPence),
      fees_gbp: formatPence(usage.feesPence),
    },
    invoice_so_far: {
      lines: soFar.lines.map(({ kind, amountPence }) => ({ kind, amount_gbp: formatPence(amountPence) })),
      total_gbp: formatPence(soFar.totalPence),
    },
  }
}

const monthsAtMost = 36

const Query = Strict({
  ...environmentQuery,
  months: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: monthsAtMost,
      default: 12,
      description: 'The number of months, including the current one.',
      'x-hint': `a whole number from 1 to ${monthsAtMost}`,
    }),
  ),
})

export const UsageMonth = Component('UsageMonth', {
  period_start: CalendarDate({ description: 'The first day of the month, which begins at midnight in London.' }),
  count: Type.Integer({ description: 'Payouts created in the month.' }),
  completed: Type.Integer({ description: 'Payouts completed in the month. The two sums cover these payouts.' }),
  paid_gbp: MoneyString(),
  fees_gbp: MoneyString({ description: 'Total fees: taken in transfers plus invoiced.' }),
})

export const exampleMonths = [
  { period_start: '2026-10-01', count: 31, completed: 30, paid_gbp: '3600.00', fees_gbp: '65.70' },
  { period_start: '2026-11-01', count: 42, completed: 40, paid_gbp: '4800.00', fees_gbp: '87.60' },
]

export const getUsageHistoryRoute = get('/v1/usage/history', 'getUsageHistory', {
  steps: [...historyChecks('usage.history', { by: 'key', partner: 'any' }, { query: Query }), getUsageHistory],
  summary: 'List usage by month',
  description: 'Number, amount and fees of the payouts of each month, oldest month first.',
  reply: listShape('One item for each month, even without payouts.', UsageMonth, exampleMonths),
  errors: ['invalid_request'],
})

async function getUsageHistory(request: ApiRequest, { db, clock }: ApiDeps): Promise<Reply> {
  const { months = 12 } = queryOf<typeof Query>(request)
  const wanted = lastMonths(londonMonthOf(clock.now()), months)
  const rows = await loadUsageHistory(db, scopeOf(request), wanted)
  return { body: presentList(rows.map(presentMonth)) }
}

export function lastMonths(current: Month, howMany: number): Month[] {
  const months = [current]
  while (months.length < howMany) months.unshift(previousMonth(months[0] ?? current))
  return months
}

export function presentMonth({ month, count, completed, paidPence, feesPence }: MonthUsage): unknown {
  return {
    period_start: firstDayOf(month),
    count,
    completed,
    paid_gbp: formatPence(paidPence),
    fees_gbp: formatPence(feesPence),
  }
}
