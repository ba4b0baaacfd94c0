// GET /v1/overview: all figures on the dashboard's home page, read from one snapshot.

import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { attentionStatuses, loadOverview, type Overview as OverviewRows } from '../../db/invoices/overview'
import { formatPence, formatUsdcDown } from '../../domain/money'
import { londonMonthOf } from '../../domain/month'
import { type GbpPerUsdNano, gbpWorthOf } from '../../domain/rate'
import { RailUnavailable } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { type ApiRequest, get, ok, type Reply, scopeOf } from '../http/route'
import { Answer, Component, Constant, MoneyString, Nullable, OneOf } from '../http/schema'
import { anyMember, historyChecks } from '../http/steps'
import { examplePayout, Payout, presentPayout } from '../payouts/present'
import { exampleMonths, exampleUsage, lastMonths, presentMonth, presentUsage, Usage, UsageMonth } from './usage'

const monthsShown = 12
const rateWithinMs = 1_000

const Overview = Component('Overview', {
  object: Constant('overview'),
  balance: Nullable(
    Answer(
      {
        usdc: MoneyString({ description: 'The balance of the wallet, rounded down.' }),
        approx_gbp: Nullable(
          MoneyString({ description: 'The approximate value in pounds. Null while the bank has no rate.' }),
        ),
      },
      { description: 'Null if the account is not active, because `GET /v1/balance` is then refused.' },
    ),
  ),
  usage: Usage,
  history: Type.Array(UsageMonth, { description: `The last ${monthsShown} months, with the current one last.` }),
  latest: Type.Array(Payout, { description: 'The newest payouts.' }),
  attention: Type.Array(
    Answer({
      status: OneOf(attentionStatuses),
      payouts: Type.Array(Payout),
      has_more: Type.Boolean({ description: 'Whether more payouts of this status need attention.' }),
    }),
    { description: 'Payouts in progress for more than 15 minutes, and those that failed or were returned in 7 days.' },
  ),
  members: Type.Integer({ description: 'The people on the team, including invited ones.' }),
  active_keys: Type.Integer({ description: 'The API keys of the environment that are not revoked.' }),
})

export const getOverviewRoute = get('/v1/overview', 'getOverview', {
  steps: [...historyChecks('overview.read', anyMember), getOverview],
  summary: 'Retrieve the figures of the home page',
  description: 'All figures come from one database snapshot, so they are consistent.',
  reply: ok('The figures.', Overview, {
    object: 'overview',
    balance: { usdc: '10000.00', approx_gbp: '7900.00' },
    usage: exampleUsage,
    history: exampleMonths,
    latest: [examplePayout],
    attention: attentionStatuses.map((status) => ({ status, payouts: [], has_more: false })),
    members: 3,
    active_keys: 1,
  }),
})

async function getOverview(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const now = deps.clock.now()
  const months = lastMonths(londonMonthOf(now), monthsShown)
  const overview = await loadOverview(deps.db, scopeOf(request), { now, months })
  const isActive = request.caller.partner.status === 'active'
  const balance = isActive ? presentBalance(overview, await findRate(overview, deps)) : null
  return { body: { object: 'overview', balance, ...presentFigures(overview) } }
}

/** Null if the bank has no usable rate or does not answer in time. A slow bank must not delay the other figures. */
async function findRate({ wallet }: OverviewRows, { rates }: ApiDeps): Promise<GbpPerUsdNano | null> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    return await Promise.race([rates.of(wallet.rail), wait(rateWithinMs, null, { signal }).catch(() => null)])
  } catch (error) {
    if (error instanceof RailUnavailable) return null
    throw error
  } finally {
    waiting.abort()
  }
}

function presentBalance({ wallet: { balanceMicroUsdc } }: OverviewRows, rate: GbpPerUsdNano | null) {
  return {
    usdc: formatUsdcDown(balanceMicroUsdc),
    approx_gbp: rate === null ? null : formatPence(gbpWorthOf(balanceMicroUsdc, rate)),
  }
}

function presentFigures(overview: OverviewRows) {
  const { usage, soFar, history, latest, attention, members, activeKeys } = overview
  return {
    usage: presentUsage(usage, soFar),
    history: history.map(presentMonth),
    latest: latest.map(presentPayout),
    attention: attention.map(({ status, payouts, hasMore }) => ({
      status,
      payouts: payouts.map(presentPayout),
      has_more: hasMore,
    })),
    members,
    active_keys: activeKeys,
  }
}
