// What somebody should look at: payouts that failed, came back or take too long, a wallet that runs low, and a verification that waits.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { balanceQuery, complianceQuery, latestPayoutsQuery, usageQuery } from '../api/queries'
import type { Environment, Payout } from '../api/types'
import { now } from '../now'
import { ButtonLink } from '../parts/button'
import { Card } from '../parts/card'
import { Moment } from '../parts/moment'
import { Gbp } from '../parts/money'
import { Notice } from '../parts/notice'
import { Status } from '../parts/status'
import { useEnvironment, useSession } from '../shell/here'
import { grouped, pounds, reasonWords, roughly } from '../words'

const dayMs = 24 * 60 * 60 * 1000
const tooLongMs = 15 * 60 * 1000

export function Attention() {
  const environment = useEnvironment()
  const payouts = useAttention(environment)
  return (
    <>
      <Verification />
      <LowBalance />
      {payouts.length > 0 && (
        <Card title="Needs attention">
          <ul className="divide-y divide-line">
            {payouts.map((payout) => (
              <li
                key={payout.id}
                className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1 py-2.5 first:pt-0 last:pb-0 sm:grid-cols-[6.5rem_1fr_6rem_6rem]"
              >
                <span>
                  <Status of={payout.status} />
                </span>
                <Link
                  to="/dashboard/payouts/$id"
                  params={{ id: payout.id }}
                  className="order-last col-span-2 min-w-0 hover:underline sm:order-none sm:col-span-1 sm:truncate"
                >
                  <span className="font-medium">{payout.recipient.name}</span>{' '}
                  <span className="text-soft">{why(payout)}</span>
                </Link>
                <span className="hidden text-right text-xs text-soft sm:block">
                  <Moment at={payout.updated_at} as="ago" />
                </span>
                <span className="text-right font-medium">
                  <Gbp of={payout.amount_gbp} />
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

function why({ status, failure_reason }: Payout): string {
  if (status === 'failed') return failure_reason ? reasonWords(failure_reason) : 'Failed.'
  if (status === 'returned') return `Sent back. ${failure_reason ? reasonWords(failure_reason) : ''}`
  return 'The bank has not confirmed it yet.'
}

/** What became so in the last week, as a payout may come back months later; one under way only when it takes too long. */
function useAttention(environment: Environment): readonly Payout[] {
  // To the day, so that the address of the question stays the same and its answer can be kept.
  const since = new Date(Math.floor(now().getTime() / dayMs) * dayMs - 7 * dayMs).toISOString()
  const ask = (status: string) => latestPayoutsQuery(environment, { status, limit: 4, updated_after: since })
  const answers = [useQuery(ask('failed')), useQuery(ask('returned')), useQuery(ask('pending'))]
  const found = answers.flatMap(({ data }) => data?.data ?? [])
  const late = (payout: Payout) => now().getTime() - new Date(payout.created_at).getTime() > tooLongMs
  return found.filter((payout) => payout.status !== 'pending' || late(payout)).slice(0, 6)
}

const waiting: Readonly<Record<string, readonly [title: string, sentence: string]>> = {
  action_required: ['Verification waits for you', 'The bank needs something more before you can pay in live.'],
  rejected: ['Verification was rejected', 'The bank says why. The sandbox goes on working.'],
}

function Verification() {
  const { live } = useSession()
  const { data } = useQuery({ ...complianceQuery(useEnvironment()), enabled: !live })
  const [title, sentence] = (!live && waiting[data?.business_verification.status ?? '']) || []
  if (title === undefined) return null
  return (
    <Notice tone="warn" title={title} action={<ButtonLink to="/dashboard/verification">Verification</ButtonLink>}>
      {sentence}
    </Notice>
  )
}

/** Low: below what the partner has set for live, or else not enough for three payouts as they were this month. */
function LowBalance() {
  const environment = useEnvironment()
  const { partner } = useSession()
  const limit = environment === 'live' ? partner.low_balance_usdc : null
  const { data: balance } = useQuery(balanceQuery(environment))
  const { data: usage } = useQuery(usageQuery(environment))
  if (!balance || !usage) return null
  const { completed, paid_to_sellers_gbp } = usage.payouts
  const isEmpty = roughly(balance.approx_gbp) < 1
  const usual = completed > 0 ? roughly(paid_to_sellers_gbp) / completed : 0
  const isLow = limit === null ? roughly(balance.approx_gbp) < usual * 3 : roughly(balance.usdc) < roughly(limit)
  if (!isEmpty && !isLow) return null
  return (
    <Notice
      tone="warn"
      title={isEmpty ? 'The wallet is empty' : 'The wallet is running low'}
      action={<ButtonLink to="/dashboard/top-up">Top up</ButtonLink>}
    >
      {isEmpty
        ? 'Payouts are refused until there is money in it.'
        : limit === null
          ? `It holds about ${pounds(balance.approx_gbp)}, less than three of this month’s average payouts.`
          : `It holds ${grouped(balance.usdc)} USDC, less than the ${grouped(limit)} USDC that you have set.`}
    </Notice>
  )
}
