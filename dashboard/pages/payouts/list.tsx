// All payouts, newest first. The filters are part of the URL and apply to the CSV file.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { type PayoutFilters, payoutsQuery, payoutTotalsQuery } from '../../api/queries'
import { type Payout, payoutStatuses } from '../../api/types'
import { Page } from '../../parts/card'
import { DownloadButton } from '../../parts/download'
import {
  AmountFilter,
  DaysFilter,
  FilterBar,
  instantsOf,
  NoMatches,
  TextFilter,
  useSearchChange,
  ValuesFilter,
} from '../../parts/filters'
import { Anchor, ButtonLink } from '../../parts/forms/button'
import { Bar, Empty, PagesCard } from '../../parts/loaded'
import { Count, Gbp } from '../../parts/values/money'
import { useEnvironment, useIsAdmin } from '../../shell/here'
import { asAmount, codeWords, plural } from '../../words'
import { type PayoutSearch, PayoutsTable } from './payouts-table'

export function PayoutsPage() {
  const environment = useEnvironment()
  const isAdmin = useIsAdmin()
  const search = useSearch({ from: '/dashboard/payouts' })
  const filters = filtersOf(search)
  const query = useInfiniteQuery(payoutsQuery(environment, filters))
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Page
      title="Payouts"
      actions={
        <>
          <DownloadButton path="/v1/payouts.csv" query={{ environment, ...filters }} type="Export CSV" />
          {isAdmin && (
            <ButtonLink to="/dashboard/send" weight="primary">
              <Send aria-hidden />
              Send a payout
            </ButtonLink>
          )}
        </>
      }
    >
      <Filters search={search} />
      <Totals filters={filters} />
      <PagesCard query={query} what="payouts">
        {(payouts) => <Found payouts={payouts} search={search} isFiltered={isFiltered} />}
      </PagesCard>
    </Page>
  )
}

interface FoundProps {
  readonly payouts: readonly Payout[]
  readonly search: PayoutSearch
  readonly isFiltered: boolean
}

function Found({ payouts, search, isFiltered }: FoundProps) {
  if (payouts.length > 0) return <PayoutsTable payouts={payouts} search={search} />
  if (!isFiltered) return <NoneYet />
  return (
    <NoMatches what="payouts" page="/dashboard/payouts">
      Search by reference, recipient name, last 4 digits of the account, or payout ID.
    </NoMatches>
  )
}

function filtersOf({ status, q, from, to, min, max }: PayoutSearch): PayoutFilters {
  const given = {
    status: statusesIn(status).join() || undefined,
    q: q || undefined,
    ...instantsOf({ from, to }),
    amount_min: (min && asAmount(min)) || undefined,
    amount_max: (max && asAmount(max)) || undefined,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function statusesIn(list = '') {
  const given = list.split(',')
  return payoutStatuses.filter((status) => given.includes(status))
}

function Filters({ search }: { readonly search: PayoutSearch }) {
  const change = useSearchChange('/dashboard/payouts', search)
  return (
    <search className="flex flex-col gap-3">
      <FilterBar>
        <TextFilter
          label="Search"
          placeholder="Reference, name, last 4 digits or ID"
          asked={search.q}
          ask={(q) => change({ q }, 'replace')}
        />
        <AmountFilter label="Min amount" asked={search.min} ask={(min) => change({ min }, 'replace')} />
        <AmountFilter label="Max amount" asked={search.max} ask={(max) => change({ max }, 'replace')} />
        <DaysFilter days={search} change={(days) => change(days)} />
      </FilterBar>
      <ValuesFilter
        label="Status"
        values={payoutStatuses}
        chosen={statusesIn(search.status)}
        change={(statuses) => change({ status: statuses.join() })}
        nameOf={codeWords}
      />
    </search>
  )
}

/** Count and sum of all matching payouts, not only of those on the page. */
function Totals({ filters }: { readonly filters: PayoutFilters }) {
  const { data, isError } = useQuery(payoutTotalsQuery(useEnvironment(), filters))
  if (isError) return <p className="text-soft">Totals aren’t available. Narrow the filters and try again.</p>
  if (!data) return <Bar className="w-48" />
  if (data.count === 0) return null
  return (
    <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-soft" aria-label="Totals">
      <span className="font-medium text-ink">
        {plural(data.count, 'payout')}, <Gbp of={data.amount_gbp} />
      </span>
      {data.by_status.length > 1 &&
        data.by_status.map(({ status, count, amount_gbp }) => (
          <span key={status} className="hidden text-xs sm:inline">
            {codeWords(status)}: <Count of={count} />, <Gbp of={amount_gbp} />
          </span>
        ))}
    </p>
  )
}

function NoneYet() {
  const isAdmin = useIsAdmin()
  return (
    <Empty
      title="No payouts yet"
      action={
        <>
          {isAdmin && (
            <ButtonLink to="/dashboard/send" weight="primary">
              Send your first payout
            </ButtonLink>
          )}
          <Anchor href="/docs" target="_blank">
            Read the API guide
          </Anchor>
        </>
      }
    >
      Payouts you create here or through the API appear here and update live.
    </Empty>
  )
}
