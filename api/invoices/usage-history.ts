// GET /v1/usage/history: usage of the last months, for a chart.
import { Type } from 'typebox'
import { loadUsageHistory, type MonthUsage } from '../../db/invoices/usage-history'
import { formatPence } from '../../domain/money'
import { firstDayOf, londonMonthOf, type Month, previousMonth } from '../../domain/month'
import type { ApiDeps } from '../deps'
import { presentList } from '../http/list'
import { queryOf } from '../http/requests/typed'
import { type ApiRequest, get, type Reply } from '../http/route'
import { Answer, CalendarDate, environmentQuery, ListOf, MoneyString, Strict } from '../http/schema'
import { authenticate, authorize, limitHistoryRead, validate } from '../http/steps'

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

const UsageMonth = Answer(
  {
    period_start: CalendarDate({ description: 'The first day of the month, which begins at midnight in London.' }),
    count: Type.Integer({ description: 'Payouts created in the month.' }),
    completed: Type.Integer({ description: 'Payouts completed in the month. The two sums are about these.' }),
    paid_gbp: MoneyString(),
    fees_gbp: MoneyString({ description: 'Total fees: taken in transfers plus invoiced.' }),
  },
  { title: 'UsageMonth' },
)

export const getUsageHistoryRoute = get('/v1/usage/history', {
  steps: [
    authenticate,
    limitHistoryRead,
    authorize('usage.history', { by: 'key', partner: 'any' }),
    validate({ query: Query }),
    getUsageHistory,
  ],
  docs: {
    operationId: 'getUsageHistory',
    tag: 'Billing',
    summary: 'Usage of the last months, oldest first',
    reply: {
      status: 200,
      description: 'One item for each month, even without payouts.',
      schema: ListOf(UsageMonth),
      example: {
        object: 'list',
        data: [
          { period_start: '2026-10-01', count: 31, completed: 30, paid_gbp: '3600.00', fees_gbp: '65.70' },
          { period_start: '2026-11-01', count: 42, completed: 40, paid_gbp: '4800.00', fees_gbp: '87.60' },
        ],
        has_more: false,
        next_cursor: null,
      },
    },
    errors: ['invalid_request'],
  },
})

async function getUsageHistory(request: ApiRequest, { db, clock }: ApiDeps): Promise<Reply> {
  const { months = 12 } = queryOf<typeof Query>(request)
  const { partner, environment } = request.caller
  const wanted = lastMonths(londonMonthOf(clock.now()), months)
  const rows = await loadUsageHistory(db, { partnerId: partner.id, environment }, wanted)
  return { body: presentList(rows.map(presentMonth)) }
}

function lastMonths(current: Month, howMany: number): Month[] {
  const months = [current]
  while (months.length < howMany) months.unshift(previousMonth(months[0] ?? current))
  return months
}

function presentMonth({ month, count, completed, paidPence, feesPence }: MonthUsage): unknown {
  return {
    period_start: firstDayOf(month),
    count,
    completed,
    paid_gbp: formatPence(paidPence),
    fees_gbp: formatPence(feesPence),
  }
}
