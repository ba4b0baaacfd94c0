// The home page: the wallet, this month, items that need attention, and first steps for new partners.
import { useQuery } from '@tanstack/react-query'
import { balanceQuery, latestPayoutsQuery, usageHistoryQuery, usageQuery } from '../../api/queries'
import { Card, Figure, Page } from '../../parts/card'
import { ButtonLink } from '../../parts/forms/button'
import { Bar, Bars, Loaded } from '../../parts/loaded'
import { adviceOf } from '../../parts/notice'
import { BarsChart } from '../../parts/values/bars-chart'
import { useEnvironment, useSession } from '../../shell/here'
import { grouped, monthWords, plural, pounds, roughly } from '../../words'
import { PayoutsTable } from '../payouts/payouts-table'
import { Attention } from './attention'
import { FirstSteps } from './first-steps'

export function HomePage() {
  const environment = useEnvironment()
  const { partner } = useSession()
  const latest = useQuery(latestPayoutsQuery(environment, { limit: 6 }))
  const isNew = latest.data?.data.length === 0
  return (
    <Page title={partner.name} about={environment === 'sandbox' ? 'Your sandbox' : 'Your payouts'}>
      <Figures />
      <Attention />
      {isNew && <FirstSteps />}
      {!isNew && (
        <>
          <PaidByMonth />
          <Card
            title="Latest payouts"
            flush
            aside={
              <ButtonLink to="/dashboard/payouts" weight="quiet" className="-mr-3">
                All payouts
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

function Figures() {
  const environment = useEnvironment()
  const balance = useQuery(balanceQuery(environment))
  const { data: usage } = useQuery(usageQuery(environment))
  const wait = <Bar className="h-6 w-28" />
  return (
    <div className="grid grid-cols-1 gap-3 min-[24rem]:grid-cols-2 lg:grid-cols-4 lg:gap-5">
      <Figure
        name="Wallet balance"
        value={balance.data ? grouped(balance.data.usdc) : balance.error ? '–' : wait}
        unit="USDC"
        note={balance.data ? `about ${pounds(balance.data.approx_gbp)}` : balance.error && adviceOf(balance.error)}
      />
      <Figure
        name="Paid this month"
        value={usage ? pounds(usage.payouts.paid_to_sellers_gbp) : wait}
        note={usage && monthWords(usage.period_start)}
      />
      <Figure
        name="Payouts this month"
        value={usage ? grouped(String(usage.payouts.count)) : wait}
        note={usage && `${grouped(String(usage.payouts.completed))} completed`}
      />
      <Figure
        name="Fees so far"
        value={usage ? pounds(usage.payouts.fees_gbp) : wait}
        note={
          usage &&
          (environment === 'sandbox'
            ? 'never charged in the sandbox'
            : `${pounds(usage.invoice_so_far.total_gbp)} on the next invoice`)
        }
      />
    </div>
  )
}

function PaidByMonth() {
  const environment = useEnvironment()
  const history = useQuery(usageHistoryQuery(environment))
  return (
    <Card
      title="Paid by month"
      aside={
        <ButtonLink to="/dashboard/usage" weight="quiet" className="-mr-3">
          Usage
        </ButtonLink>
      }
    >
      <Loaded query={history}>
        {({ data }) => (
          <BarsChart
            label="Paid to recipients in the last twelve months"
            bars={data.map(({ period_start: month, paid_gbp, completed }) => ({
              month,
              height: roughly(paid_gbp),
              words: `${monthWords(month)}: ${pounds(paid_gbp)}, ${plural(completed, 'payout')}`,
            }))}
          />
        )}
      </Loaded>
    </Card>
  )
}
