// The home page: the wallet, this month, items that need attention, and first steps for new partners.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { latestPayoutsQuery, overviewQuery } from '../../api/queries'
import type { Environment, Overview, Payout, Usage } from '../../api/types'
import { Card, Figure, Page } from '../../parts/card'
import { Button, ButtonLink } from '../../parts/forms/button'
import { Bar, Bars, Loaded } from '../../parts/loaded'
import { ErrorNotice } from '../../parts/notice'
import { PaidByMonthChart } from '../../parts/values/paid-by-month'
import { BankMaintenance } from '../../shell/bank-maintenance'
import { useEnvironment, useIsAdmin, useSession } from '../../shell/here'
import { isChecklistHidden, rememberHiddenChecklist } from '../../shell/remembered'
import { asFloat, grouped, monthWords, pounds } from '../../words'
import { PayoutsTable } from '../payouts/payouts-table'
import { Attention, LowBalance, Verification } from './attention'
import { FirstSteps, useFirstSecret } from './first-steps'
import { texts } from './texts'

export function HomePage() {
  const environment = useEnvironment()
  const { partner } = useSession()
  const query = useQuery(overviewQuery(environment))
  const { data: overview } = query
  return (
    <Page title={partner.name} about={texts.about[environment]}>
      <BankMaintenance />
      <Figures overview={overview} isMissing={query.isError || query.isPaused} />
      <Verification />
      {query.isError && overview === undefined ? (
        <ErrorNotice error={query.error} title={texts.notLoaded} retry={() => void query.refetch()} />
      ) : (
        <Loaded query={query} skeleton={<Latest />}>
          {(loaded) => <Content key={environment} overview={loaded} />}
        </Loaded>
      )}
    </Page>
  )
}

function Content({ overview }: { readonly overview: Overview }) {
  const environment = useEnvironment()
  const [secret] = useFirstSecret()
  const isNew = overview.latest.length === 0
  useChanges(overview)
  return (
    <>
      <LowBalance overview={overview} />
      <Attention overview={overview} />
      <Checklist overview={overview} />
      {(isNew || (secret !== null && environment === 'sandbox')) && <FirstSteps />}
      {!isNew && (
        <>
          <PaidByMonth months={overview.history} />
          <Latest payouts={overview.latest} />
        </>
      )}
    </>
  )
}

/** Polls the newest payouts, which are cheap to read, and reloads the overview when one of them has changed. */
function useChanges({ latest }: Overview): void {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const { data } = useQuery({
    ...latestPayoutsQuery(environment, { limit: latestCount }),
    initialData: { data: latest, has_more: false, next_cursor: null },
  })
  const found = statusesOf(data.data)
  const shown = useRef('')
  useEffect(() => {
    shown.current = statusesOf(latest)
  }, [latest])
  useEffect(() => {
    if (found !== shown.current) void queryClient.invalidateQueries({ queryKey: overviewQuery(environment).queryKey })
  }, [found, environment, queryClient])
}

const latestCount = 6
const statusesOf = (payouts: readonly Payout[]) => payouts.map(({ id, status }) => `${id} ${status}`).join()

/** Shows a skeleton until the payouts are loaded. */
function Latest({ payouts }: { readonly payouts?: Overview['latest'] }) {
  return (
    <Card
      title={texts.latest.title}
      flush
      aside={
        <ButtonLink to="/dashboard/payouts" weight="quiet" className="-mr-3">
          {texts.latest.viewAll}
        </ButtonLink>
      }
    >
      {payouts ? <PayoutsTable payouts={payouts} /> : <Bars rows={6} />}
    </Card>
  )
}

interface FiguresProps {
  readonly overview: Overview | undefined
  /** True if the figures could not be loaded. */
  readonly isMissing: boolean
}

function Figures({ overview, isMissing }: FiguresProps) {
  const environment = useEnvironment()
  const { balance, usage } = overview ?? {}
  const absent = isMissing ? '–' : <Bar className="h-6 w-28" />
  return (
    <dl className="grid grid-cols-1 gap-3 min-[24rem]:grid-cols-2 lg:grid-cols-4 lg:gap-5">
      <Figure
        name={texts.figures.balance}
        value={balance ? grouped(balance.usdc) : balance === null ? '–' : absent}
        unit="USDC"
        note={balance?.approx_gbp && `≈ ${pounds(balance.approx_gbp)}`}
      />
      <Figure
        name={texts.figures.paid}
        value={usage ? pounds(usage.payouts.paid_to_sellers_gbp) : absent}
        note={usage && monthWords(usage.period_start)}
      />
      <Figure
        name={texts.figures.payouts}
        value={usage ? grouped(String(usage.payouts.count)) : absent}
        note={usage && texts.figures.completed(grouped(String(usage.payouts.completed)))}
      />
      <Figure
        name={texts.figures.fees}
        value={usage ? pounds(usage.payouts.fees_gbp) : absent}
        note={usage && feeNote(environment, usage)}
      />
    </dl>
  )
}

/** The month's fees can differ from the next invoice's total, so the note states that total. */
function feeNote(environment: Environment, { invoice_so_far }: Usage): string {
  if (environment === 'sandbox') return texts.figures.notCharged
  return texts.figures.nextInvoice(pounds(invoice_so_far.total_gbp))
}

function PaidByMonth({ months }: { readonly months: Overview['history'] }) {
  return (
    <Card
      title={texts.chart.title}
      aside={
        <ButtonLink to="/dashboard/usage" weight="quiet" className="-mr-3">
          {texts.chart.viewUsage}
        </ButtonLink>
      }
    >
      <PaidByMonthChart months={months} />
    </Card>
  )
}

const words = texts.checklist

/** The steps from a new account to its first payout. Steps that the account has completed are ticked. */
function Checklist({ overview }: { readonly overview: Overview }) {
  const { partner } = useSession()
  const [isHidden, setHidden] = useState(() => isChecklistHidden(partner.id))
  const steps = useSteps(overview)
  if (isHidden || steps.every(({ done }) => done)) return null
  const hide = () => {
    rememberHiddenChecklist(partner.id)
    setHidden(true)
  }
  return (
    <Card
      title={words.title(steps.filter(({ done }) => done).length, steps.length)}
      aside={
        <Button weight="quiet" className="-mr-3" aria-label={words.hideLabel} onClick={hide}>
          {words.hide}
        </Button>
      }
    >
      <ol className="grid gap-x-6 gap-y-1 sm:grid-cols-2 lg:grid-cols-5">
        {steps.map(({ name, to, done }) => (
          <li key={name} className="flex items-center gap-2 py-1">
            <span
              aria-hidden
              className={`flex size-5 shrink-0 items-center justify-center rounded-full border ${done ? 'border-good bg-good-soft text-good' : 'border-edge'}`}
            >
              {done && <Check className="size-3.5" strokeWidth={2.6} />}
            </span>
            {done ? (
              <span className="text-soft">
                {name}
                <span className="sr-only"> {words.done}</span>
              </span>
            ) : (
              <Link to={to} className="font-medium underline decoration-edge underline-offset-2 hover:decoration-ink">
                {name}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}

interface SetupStep {
  readonly name: string
  readonly to: string
  readonly done: boolean
}

function useSteps({ balance, latest, members, active_keys }: Overview): readonly SetupStep[] {
  const { live } = useSession()
  const isAdmin = useIsAdmin()
  const hasPayouts = latest.length > 0
  return [
    { name: words.verify, to: '/dashboard/verification', done: live },
    // A wallet that has paid was topped up, even if it is empty now.
    { name: words.topUp, to: '/dashboard/top-up', done: hasPayouts || asFloat(balance?.usdc ?? '0') > 0 },
    { name: words.invite, to: '/dashboard/team', done: members > 1 },
    { name: words.createKey, to: '/dashboard/keys', done: active_keys > 0 },
    { name: words.firstPayout, to: isAdmin ? '/dashboard/send' : '/dashboard/payouts', done: hasPayouts },
  ]
}
