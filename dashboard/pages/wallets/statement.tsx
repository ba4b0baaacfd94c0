// The wallet statement: entries with the balance after each, filtered by kind and period.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { CirclePlus } from 'lucide-react'
import { balanceQuery, type Period, walletBalancesQuery, walletEntriesQuery } from '../../api/queries'
import type { WalletEntry } from '../../api/types'
import { Figure, Page } from '../../parts/card'
import { DownloadButton } from '../../parts/download'
import {
  type Days,
  DaysFilter,
  FilterBar,
  instantsOf,
  NoMatches,
  useSearchChange,
  ValuesFilter,
} from '../../parts/filters'
import { ButtonLink } from '../../parts/forms/button'
import { Bar, Empty, Loaded, PagesCard } from '../../parts/loaded'
import { Cell, overRow, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { useEnvironment } from '../../shell/here'
import { grouped, pounds } from '../../words'
import { texts } from './texts'

const words = texts.statement

interface WalletSearch extends Days {
  /** Several kinds are separated by commas. */
  readonly kind?: string | undefined
}

export function WalletPage() {
  const environment = useEnvironment()
  const search = useSearch({ from: '/dashboard/wallet' })
  const period = instantsOf(search)
  const filters = { kind: kindsIn(search.kind).join() || undefined, ...period }
  const { data: balance } = useQuery(balanceQuery(environment))
  const query = useInfiniteQuery(walletEntriesQuery(environment, filters))
  return (
    <Page
      title={words.title}
      about={
        balance ? words.aboutBalance(texts.balance(grouped(balance.usdc), pounds(balance.approx_gbp))) : words.about
      }
      actions={
        <>
          <DownloadButton path="/v1/wallet/entries.csv" query={{ environment, ...filters }} type={words.exportCsv} />
          <ButtonLink to="/dashboard/top-up" weight="primary">
            <CirclePlus aria-hidden />
            {texts.topUp}
          </ButtonLink>
        </>
      }
    >
      <Filters search={search} />
      {(period.created_after || period.created_before) && <Balances period={period} />}
      <PagesCard query={query} what={words.what}>
        {(entries) => <Statement entries={entries} isFiltered={Object.values(filters).some(Boolean)} />}
      </PagesCard>
    </Page>
  )
}

/** The opening and closing balances of the period. They include entries of every kind, on loaded pages or not. */
function Balances({ period }: { readonly period: Period }) {
  const query = useQuery(walletBalancesQuery(useEnvironment(), period))
  return (
    <Loaded query={query} skeleton={<Bar className="h-24 w-full" />}>
      {({ opening_balance_usdc, closing_balance_usdc }) => (
        <dl className="grid gap-5 sm:grid-cols-2">
          <Figure name={words.opening} value={grouped(opening_balance_usdc)} unit="USDC" note={null} />
          <Figure name={words.closing} value={grouped(closing_balance_usdc)} unit="USDC" note={null} />
        </dl>
      )}
    </Loaded>
  )
}

const columns = [
  { head: words.date, from: 'sm' },
  { head: words.description },
  { head: words.amount, align: 'right' },
  { head: words.balance, align: 'right', from: 'sm' },
] as const

const entryKinds = [
  'topup',
  'payout',
  'refund',
  'return',
  'adjustment',
] as const satisfies readonly WalletEntry['kind'][]

function kindsIn(list = '') {
  const given = list.split(',')
  return entryKinds.filter((kind) => given.includes(kind))
}

function Filters({ search }: { readonly search: WalletSearch }) {
  const change = useSearchChange('/dashboard/wallet', search)
  return (
    <search className="flex flex-col gap-3">
      <FilterBar>
        <DaysFilter days={search} change={(days) => change(days)} />
      </FilterBar>
      <ValuesFilter
        label={words.type}
        values={entryKinds}
        chosen={kindsIn(search.kind)}
        change={(chosen) => change({ kind: chosen.join() })}
        nameOf={(kind) => words.kinds[kind]}
      />
    </search>
  )
}

interface StatementProps {
  readonly entries: readonly WalletEntry[]
  readonly isFiltered: boolean
}

function Statement({ entries, isFiltered }: StatementProps) {
  if (entries.length === 0) return isFiltered ? <NoMatches what={words.what} page="/dashboard/wallet" /> : <NoneYet />
  return (
    <Table columns={columns} label={words.label}>
      {entries.map((entry) => (
        <Row key={entry.id}>
          <Cell from="sm" className="text-soft">
            <Moment at={entry.at} as="brief" />
          </Cell>
          <Cell className="max-w-64">
            <span className="block truncate font-medium">
              {entry.payout_id ? (
                <Link to="/dashboard/payouts/$id" params={{ id: entry.payout_id }} className={overRow}>
                  {words.kinds[entry.kind]}
                </Link>
              ) : (
                words.kinds[entry.kind]
              )}
            </span>
            <span className="block text-xs text-soft sm:truncate">
              {entry.description !== words.kinds[entry.kind] && entry.description}
            </span>
            <span className="block text-xs text-soft sm:hidden">
              <Moment at={entry.at} as="brief" />
            </span>
          </Cell>
          <Cell align="right" className={entry.amount_usdc.startsWith('-') ? '' : 'text-good'}>
            <span className="figures">{grouped(entry.amount_usdc.replace(/^(?=\d)/, '+'))}</span>
            <span className="block text-xs whitespace-nowrap text-soft sm:hidden">
              {words.balanceOnPhone} <span className="figures">{grouped(entry.balance_usdc)}</span>
            </span>
          </Cell>
          <Cell from="sm" align="right" className="font-medium">
            <span className="figures">{grouped(entry.balance_usdc)}</span>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

function NoneYet() {
  return (
    <Empty
      title={words.noneYet}
      action={
        <ButtonLink to="/dashboard/top-up" weight="primary">
          {texts.topUp}
        </ButtonLink>
      }
    >
      {words.noneYetAbout}
    </Empty>
  )
}
