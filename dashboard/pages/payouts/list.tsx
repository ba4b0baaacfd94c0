// All payouts, newest first. The filters are part of the URL and apply to the CSV file.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { type PayoutFilters, payoutsQuery } from '../../api/queries'
import { type Payout, payoutStatuses } from '../../api/types'
import { Page } from '../../parts/card'
import { DownloadButton } from '../../parts/download'
import { Anchor, Button, ButtonLink } from '../../parts/forms/button'
import { Choice, Field } from '../../parts/forms/field'
import { Empty, PagesCard } from '../../parts/loaded'
import { useEnvironment, useIsAdmin } from '../../shell/here'
import { PayoutsTable } from './payouts-table'
import { SearchField } from './search-field'

export interface PayoutSearch {
  readonly status?: string | undefined
  readonly q?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

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
      <PagesCard query={query} what="payouts">
        {(payouts) => <Found payouts={payouts} isFiltered={isFiltered} />}
      </PagesCard>
    </Page>
  )
}

function Found({ payouts, isFiltered }: { readonly payouts: readonly Payout[]; readonly isFiltered: boolean }) {
  if (payouts.length > 0) return <PayoutsTable payouts={payouts} />
  return isFiltered ? <NothingFound /> : <NoneYet />
}

/** Days are in the reader's time zone, from the start of the first to the end of the last. */
function filtersOf({ status, q, from, to }: PayoutSearch): PayoutFilters {
  const start = (day: string, plusDays: number) => {
    const at = new Date(`${day}T00:00:00`)
    at.setDate(at.getDate() + plusDays)
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
  }
  const given = {
    status: payoutStatuses.find((known) => known === status),
    q: q || undefined,
    created_after: from ? start(from, 0) : undefined,
    created_before: to ? start(to, 1) : undefined,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function Filters({ search }: { readonly search: PayoutSearch }) {
  const navigate = useNavigate()
  const change = (changed: PayoutSearch) => {
    const kept = Object.entries({ ...search, ...changed }).filter(([, value]) => value)
    void navigate({ to: '/dashboard/payouts', search: Object.fromEntries(kept), replace: true })
  }
  return (
    <search className="grid grid-cols-2 gap-3 md:grid-cols-[minmax(12rem,1fr)_10rem_9.5rem_9.5rem] md:items-end">
      <div className="col-span-2 md:col-span-1">
        <SearchField asked={search.q ?? ''} ask={(q) => change({ q })} />
      </div>
      <div className="col-span-2 md:col-span-1">
        <Choice label="Status" value={search.status ?? ''} onChange={(event) => change({ status: event.target.value })}>
          <option value="">All statuses</option>
          {payoutStatuses.map((status) => (
            <option key={status} value={status}>
              {status.charAt(0).toUpperCase() + status.slice(1)}
            </option>
          ))}
        </Choice>
      </div>
      <Field
        label="From"
        type="date"
        value={search.from ?? ''}
        onChange={(event) => change({ from: event.target.value })}
      />
      <Field label="To" type="date" value={search.to ?? ''} onChange={(event) => change({ to: event.target.value })} />
    </search>
  )
}

function NothingFound() {
  const navigate = useNavigate()
  return (
    <Empty
      title="No payouts match these filters"
      action={<Button onClick={() => void navigate({ to: '/dashboard/payouts', search: {} })}>Clear filters</Button>}
    >
      Search by reference, recipient name, last 4 digits of the account, or payout ID.
    </Empty>
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
