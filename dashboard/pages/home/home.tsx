// The home page: the wallet, this month, items that need attention, and first steps for new partners.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { balanceQuery, latestPayoutsQuery, reloadTotals, usageHistoryQuery, usageQuery } from '../../api/queries'
import type { Environment, List, Payout, Usage } from '../../api/types'
import { Card, Figure, Page } from '../../parts/card'
import { ButtonLink } from '../../parts/forms/button'
import { Bar, Bars, Loaded } from '../../parts/loaded'
import { ErrorNotice } from '../../parts/notice'
import { PaidByMonthChart } from '../../parts/values/paid-by-month'
import { BankMaintenance } from '../../shell/bank-maintenance'
import { useEnvironment, useSession } from '../../shell/here'
import { grouped, monthWords, pounds } from '../../words'
import { PayoutsTable } from '../payouts/payouts-table'
import { Attention } from './attention'
import { Checklist } from './checklist'
import { FirstSteps, useFirstSecret } from './first-steps'

export function HomePage() {
  const environment = useEnvironment()
  const { partner } = useSession()
  const latest = useQuery(latestPayoutsQuery(environment, { limit: 6 }))
  const [secret] = useFirstSecret()
  const isNew = latest.data?.data.length === 0
  useCurrentTotals(latest.data)
  return (
    <Page title={partner.name} about={environment === 'sandbox' ? 'Sandbox overview' : 'Overview'}>
      <BankMaintenance />
      <Figures />
      <Attention />
      {latest.data && <Checklist key={environment} hasPayouts={!isNew} />}
      {(isNew || (secret !== null && environment === 'sandbox')) && <FirstSteps />}
      {!isNew && (
        <>
          <PaidByMonth />
          <Card
            title="Latest payouts"
            flush
            aside={
              <ButtonLink to="/dashboard/payouts" weight="quiet" className="-mr-3">
                View all
              </ButtonLink>
            }
          >
            <Loaded query={latest} skeleton={<Bars rows={6} />}>
              {({ data }) => <PayoutsTable payouts={data} />}
            </Loaded>
          </Card>
        </>
      )}
    </Page>
  )
}

/** Totals are polled less often than payouts, so a changed payout reloads them: both are on this page. */
function useCurrentTotals(latest: List<Payout> | undefined): void {
  const queryClient = useQueryClient()
  const shown = latest?.data.map(({ id, status }) => `${id} ${status}`).join()
  const before = useRef(shown)
  useEffect(() => {
    if (before.current !== undefined && before.current !== shown) void reloadTotals(queryClient)
    before.current = shown
  }, [shown, queryClient])
}

function Figures() {
  const environment = useEnvironment()
  const balance = useQuery(balanceQuery(environment))
  const usageRead = useQuery(usageQuery(environment))
  const usage = usageRead.data
  const failed = [balance, usageRead].filter(({ data, isError }) => isError && data === undefined)
  return (
    <>
      <dl className="grid grid-cols-1 gap-3 min-[24rem]:grid-cols-2 lg:grid-cols-4 lg:gap-5">
        <Figure
          name="Wallet balance"
          value={balance.data ? grouped(balance.data.usdc) : <Missing isFailed={balance.isError || balance.isPaused} />}
          unit="USDC"
          note={balance.data && `≈ ${pounds(balance.data.approx_gbp)}`}
        />
        <Figure
          name="Paid this month"
          value={
            usage ? (
              pounds(usage.payouts.paid_to_sellers_gbp)
            ) : (
              <Missing isFailed={usageRead.isError || usageRead.isPaused} />
            )
          }
          note={usage && monthWords(usage.period_start)}
        />
        <Figure
          name="Payouts this month"
          value={
            usage ? (
              grouped(String(usage.payouts.count))
            ) : (
              <Missing isFailed={usageRead.isError || usageRead.isPaused} />
            )
          }
          note={usage && `${grouped(String(usage.payouts.completed))} completed`}
        />
        <Figure
          name="Payout fees this month"
          value={
            usage ? pounds(usage.payouts.fees_gbp) : <Missing isFailed={usageRead.isError || usageRead.isPaused} />
          }
          note={usage && feeNote(environment, usage)}
        />
      </dl>
      {failed[0] && (
        <ErrorNotice
          error={failed[0].error}
          title="Some figures couldn’t load"
          retry={() => void Promise.all(failed.map(({ refetch }) => refetch()))}
        />
      )}
    </>
  )
}

const Missing = ({ isFailed }: { readonly isFailed: boolean }) => (isFailed ? '–' : <Bar className="h-6 w-28" />)

/** The fees and the invoice are different sums, so the note says how they differ. */
function feeNote(environment: Environment, { invoice_so_far }: Usage): string {
  if (environment === 'sandbox') return 'Not charged in the sandbox'
  return `Partly deducted in transfers. Next invoice so far, with other charges: ${pounds(invoice_so_far.total_gbp)}`
}

function PaidByMonth() {
  const environment = useEnvironment()
  const history = useQuery(usageHistoryQuery(environment))
  return (
    <Card
      title="Paid to recipients by month"
      aside={
        <ButtonLink to="/dashboard/usage" weight="quiet" className="-mr-3">
          View usage
        </ButtonLink>
      }
    >
      <Loaded query={history}>{({ data }) => <PaidByMonthChart months={data} />}</Loaded>
    </Card>
  )
}
