// Items that need attention: failed, returned and late payouts, a low wallet, and an unfinished verification.
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { balanceQuery, complianceQuery, latePayoutsQuery, latestPayoutsQuery, usageQuery } from '../../api/queries'
import type { Environment, List, Payout, PayoutStatus } from '../../api/types'
import { now } from '../../now'
import { Card } from '../../parts/card'
import { ButtonLink } from '../../parts/forms/button'
import { ErrorNotice, Notice } from '../../parts/notice'
import { Moment } from '../../parts/values/moment'
import { Gbp } from '../../parts/values/money'
import { Status } from '../../parts/values/status'
import { useEnvironment, useSession } from '../../shell/here'
import { asFloat, grouped, pounds, reasonWords } from '../../words'

const dayMs = 24 * 60 * 60 * 1000
const shownOfEach = 3

export function Attention() {
  const environment = useEnvironment()
  const { payouts, cut, failed } = useAttention(environment)
  return (
    <>
      <Verification />
      <LowBalance />
      {failed[0] && (
        <ErrorNotice
          error={failed[0].error}
          title="We couldn’t check for payouts that need attention"
          retry={() => void Promise.all(failed.map(({ refetch }) => refetch()))}
        />
      )}
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
          {cut.length > 0 && (
            <p className="mt-3 flex flex-wrap gap-2 border-t border-line pt-3">
              {cut.map((status) => (
                <ButtonLink key={status} to="/dashboard/payouts" search={{ status }} weight="quiet">
                  All {status} payouts
                </ButtonLink>
              ))}
            </p>
          )}
        </Card>
      )}
    </>
  )
}

function why({ status, failure_reason }: Payout): string {
  if (status === 'failed') return failure_reason ? reasonWords(failure_reason) : 'Failed.'
  if (status === 'returned') return `Returned. ${failure_reason ? reasonWords(failure_reason) : ''}`
  if (status === 'processing') return 'Taking longer than usual.'
  return 'The bank has not confirmed it yet.'
}

interface Found {
  readonly payouts: readonly Payout[]
  /** Statuses with more payouts than are shown. */
  readonly cut: readonly PayoutStatus[]
  /** Lists that could not be read. If there is one, an empty result does not mean that no payout needs attention. */
  readonly failed: readonly UseQueryResult[]
}

/** Late payouts first, oldest first; then those that failed or were returned in the last week. */
function useAttention(environment: Environment): Found {
  // Rounded to the day, so that the query key stays the same and the result is cached.
  const since = new Date(Math.floor(now().getTime() / dayMs) * dayMs - 7 * dayMs).toISOString()
  const ended = (status: PayoutStatus) =>
    latestPayoutsQuery(environment, { status, limit: shownOfEach + 1, updated_after: since })
  const pending = useQuery(latePayoutsQuery(environment, 'pending'))
  const processing = useQuery(latePayoutsQuery(environment, 'processing'))
  const failed = useQuery(ended('failed'))
  const returned = useQuery(ended('returned'))
  const kinds = [
    { status: 'pending', found: oldestFirst(pending.data) },
    { status: 'processing', found: oldestFirst(processing.data) },
    { status: 'failed', found: failed.data?.data ?? [] },
    { status: 'returned', found: returned.data?.data ?? [] },
  ] as const
  return {
    // Each kind has its own limit: many failed payouts must not hide a late one.
    payouts: kinds.flatMap(({ found }) => found.slice(0, shownOfEach)),
    cut: kinds.flatMap(({ status, found }) => (found.length > shownOfEach ? [status] : [])),
    failed: [pending, processing, failed, returned].filter(({ data, isError }) => isError && data === undefined),
  }
}

function oldestFirst(answer: List<Payout> | undefined): readonly Payout[] {
  return answer?.data.toReversed() ?? []
}

const waiting: Readonly<Record<string, readonly [title: string, sentence: string]>> = {
  action_required: [
    'Action needed on verification',
    'The bank needs more information before you can make live payouts.',
  ],
  rejected: ['Verification was declined', 'See the bank’s reasons. Your sandbox still works.'],
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

/** Low: below the partner's own limit for live, or else below three average payouts of this month. */
function LowBalance() {
  const environment = useEnvironment()
  const { live, partner } = useSession()
  const limit = environment === 'live' ? partner.low_balance_usdc : null
  const { data: balance } = useQuery(balanceQuery(environment))
  const { data: usage } = useQuery(usageQuery(environment))
  // A business cannot top up before it is verified.
  if (!balance || !usage || (environment === 'live' && !live)) return null
  const { completed, paid_to_sellers_gbp } = usage.payouts
  const isEmpty = asFloat(balance.approx_gbp) < 1
  const usual = completed > 0 ? asFloat(paid_to_sellers_gbp) / completed : 0
  const isLow = limit === null ? asFloat(balance.approx_gbp) < usual * 3 : asFloat(balance.usdc) < asFloat(limit)
  if (!isEmpty && !isLow) return null
  return (
    <Notice
      tone="warn"
      title={isEmpty ? 'Your wallet is empty' : 'Low wallet balance'}
      action={<ButtonLink to="/dashboard/top-up">Top up</ButtonLink>}
    >
      {isEmpty
        ? 'Top up before sending payouts.'
        : limit === null
          ? `Balance is about ${pounds(balance.approx_gbp)}, less than three of this month’s average payouts.`
          : `Balance is ${grouped(balance.usdc)} USDC, below your ${grouped(limit)} USDC alert.`}
    </Notice>
  )
}
