// All payouts. The filters and the order are part of the URL and also apply to the CSV export.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import {
  membersQuery,
  newestKeysQuery,
  type PayoutFilters,
  type PayoutSort,
  payoutSorts,
  payoutsQuery,
  payoutTotalsQuery,
} from '../../api/queries'
import { type Payout, payoutStatuses } from '../../api/types'
import { Page } from '../../parts/card'
import { DownloadButton } from '../../parts/download'
import {
  AmountFilter,
  DaysFilter,
  FilterBar,
  FilterItem,
  instantsOf,
  NoMatches,
  TextFilter,
  useSearchChange,
  ValuesFilter,
} from '../../parts/filters'
import { Anchor, ButtonLink } from '../../parts/forms/button'
import { Choice } from '../../parts/forms/field'
import { Bar, Empty, PagesCard } from '../../parts/loaded'
import { Count, Gbp } from '../../parts/values/money'
import { useEnvironment, useIsAdmin } from '../../shell/here'
import { asAmount, codeWords } from '../../words'
import { type PayoutSearch, PayoutsTable } from './payouts-table'
import { texts } from './texts'

const words = texts.list

export function PayoutsPage() {
  const environment = useEnvironment()
  const isAdmin = useIsAdmin()
  const search = useSearch({ from: '/dashboard/payouts' })
  const filters = filtersOf(search)
  const sort = sortIn(search)
  const query = useInfiniteQuery(payoutsQuery(environment, filters, sort))
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Page
      title={words.title}
      actions={
        <>
          <DownloadButton path="/v1/payouts.csv" query={{ environment, ...filters, sort }} type={words.exportCsv} />
          {isAdmin && (
            <ButtonLink to="/dashboard/send" weight="primary">
              <Send aria-hidden />
              {words.send}
            </ButtonLink>
          )}
        </>
      }
    >
      <Filters search={search} />
      <Totals filters={filters} />
      <PagesCard query={query} what={words.what}>
        {(payouts) => <Found payouts={payouts} search={search} sort={sort} isFiltered={isFiltered} />}
      </PagesCard>
    </Page>
  )
}

interface FoundProps {
  readonly payouts: readonly Payout[]
  readonly search: PayoutSearch
  readonly sort: PayoutSort
  readonly isFiltered: boolean
}

function Found({ payouts, search, sort, isFiltered }: FoundProps) {
  if (payouts.length > 0) return <PayoutsTable payouts={payouts} search={search} sort={sort} />
  if (!isFiltered) return <NoneYet />
  return (
    <NoMatches what={words.what} page="/dashboard/payouts">
      {words.noMatchesAbout}
    </NoMatches>
  )
}

function filtersOf({ status, q, from, to, min, max, by }: PayoutSearch): PayoutFilters {
  const given = {
    status: statusesIn(status).join() || undefined,
    q: q || undefined,
    ...instantsOf({ from, to }),
    amount_min: (min && asAmount(min)) || undefined,
    amount_max: (max && asAmount(max)) || undefined,
    created_by: by || undefined,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

const sortIn = ({ sort }: PayoutSearch): PayoutSort => payoutSorts.find((each) => each === sort) ?? 'newest'

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
          label={texts.filters.search}
          placeholder={texts.filters.searchHint}
          asked={search.q}
          ask={(q) => change({ q }, 'replace')}
        />
        <AmountFilter label={texts.filters.min} asked={search.min} ask={(min) => change({ min }, 'replace')} />
        <AmountFilter label={texts.filters.max} asked={search.max} ask={(max) => change({ max }, 'replace')} />
        <DaysFilter days={search} change={(days) => change(days)} />
        <CreatorFilter chosen={search.by} change={(by) => change({ by })} />
        <FilterItem size="half">
          <Choice
            label={texts.filters.sort}
            value={sortIn(search)}
            onChange={({ target }) => change({ sort: target.value === 'newest' ? '' : target.value })}
          >
            {payoutSorts.map((sort) => (
              <option key={sort} value={sort}>
                {texts.filters.sorts[sort]}
              </option>
            ))}
          </Choice>
        </FilterItem>
      </FilterBar>
      <ValuesFilter
        label={texts.filters.status}
        values={payoutStatuses}
        chosen={statusesIn(search.status)}
        change={(statuses) => change({ status: statuses.join() })}
        nameOf={codeWords}
      />
    </search>
  )
}

interface CreatorFilterProps {
  readonly chosen: string | undefined
  readonly change: (by: string) => void
}

function CreatorFilter({ chosen = '', change }: CreatorFilterProps) {
  const environment = useEnvironment()
  const members = useQuery(membersQuery).data?.data ?? []
  const keys = useQuery(newestKeysQuery(environment)).data?.data ?? []
  const people = members.map(({ email }) => ({ by: email, name: email }))
  const programs = keys.map(({ key_prefix, label, revoked_at }) => ({
    by: `key:${key_prefix}`,
    name: revoked_at === null ? (label ?? key_prefix) : texts.filters.revokedKey(label ?? key_prefix),
  }))
  const isListed = [...people, ...programs].some(({ by }) => by === chosen)
  return (
    <FilterItem size="half">
      <Choice label={texts.filters.createdBy} value={chosen} onChange={({ target }) => change(target.value)}>
        <option value="">{texts.filters.anyone}</option>
        {/* The URL may name a former member, or a key from the other environment. */}
        {chosen && !isListed && <option value={chosen}>{chosen.replace(/^key:/, '')}</option>}
        <Creators label={texts.filters.team} creators={people} />
        <Creators label={texts.filters.keys} creators={programs} />
      </Choice>
    </FilterItem>
  )
}

interface CreatorsProps {
  readonly label: string
  readonly creators: readonly { readonly by: string; readonly name: string }[]
}

function Creators({ label, creators }: CreatorsProps) {
  if (creators.length === 0) return null
  return (
    <optgroup label={label}>
      {creators.map(({ by, name }) => (
        <option key={by} value={by}>
          {name}
        </option>
      ))}
    </optgroup>
  )
}

/** Count and sum of all matching payouts, not only of those on the page. */
function Totals({ filters }: { readonly filters: PayoutFilters }) {
  const { data, isError } = useQuery(payoutTotalsQuery(useEnvironment(), filters))
  if (isError) return <p className="text-soft">{words.noTotals}</p>
  if (!data) return <Bar className="w-48" />
  if (data.count === 0) return null
  return (
    <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-soft" aria-label={words.totals}>
      <span className="font-medium text-ink">
        {words.count(data.count)}, <Gbp of={data.amount_gbp} />
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
      title={words.noneYet}
      action={
        <>
          {isAdmin && (
            <ButtonLink to="/dashboard/send" weight="primary">
              {words.sendFirst}
            </ButtonLink>
          )}
          <Anchor href="/docs" target="_blank">
            {words.guide}
          </Anchor>
        </>
      }
    >
      {words.noneYetAbout}
    </Empty>
  )
}
