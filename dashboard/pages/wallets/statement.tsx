// The wallet statement: all entries, with the balance after each.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { CirclePlus } from 'lucide-react'
import { balanceQuery, walletEntriesQuery } from '../../api/queries'
import type { WalletEntry } from '../../api/types'
import { Page } from '../../parts/card'
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
import { Empty, PagesCard } from '../../parts/loaded'
import { Cell, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { useEnvironment } from '../../shell/here'
import { grouped, pounds } from '../../words'

interface WalletSearch extends Days {
  /** Several are separated by commas. */
  readonly kind?: string | undefined
}

export function WalletPage() {
  const environment = useEnvironment()
  const search = useSearch({ from: '/dashboard/wallet' })
  const filters = { kind: kindsIn(search.kind).join() || undefined, ...instantsOf(search) }
  const { data: balance } = useQuery(balanceQuery(environment))
  const query = useInfiniteQuery(walletEntriesQuery(environment, filters))
  return (
    <Page
      title="Wallet"
      about={
        balance
          ? `Money in and out. Balance: ${grouped(balance.usdc)} USDC (≈ ${pounds(balance.approx_gbp)})`
          : 'Money in and out'
      }
      actions={
        <>
          <DownloadButton path="/v1/wallet/entries.csv" query={{ environment, ...filters }} type="Export CSV" />
          <ButtonLink to="/dashboard/top-up" weight="primary">
            <CirclePlus aria-hidden />
            Top up
          </ButtonLink>
        </>
      }
    >
      <Filters search={search} />
      <PagesCard query={query} what="transactions">
        {(entries) => <Statement entries={entries} isFiltered={Object.values(filters).some(Boolean)} />}
      </PagesCard>
    </Page>
  )
}

const columns = [
  { head: 'Date', from: 'sm' },
  { head: 'Description' },
  { head: 'Amount (USDC)', align: 'right' },
  { head: 'Balance (USDC)', align: 'right', from: 'sm' },
] as const

const kinds: Readonly<Record<WalletEntry['kind'], string>> = {
  topup: 'Top-up',
  payout: 'Payout',
  refund: 'Refund',
  return: 'Returned payout',
  adjustment: 'Adjustment',
}
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
        label="Type"
        values={entryKinds}
        chosen={kindsIn(search.kind)}
        change={(chosen) => change({ kind: chosen.join() })}
        nameOf={(kind) => kinds[kind]}
      />
    </search>
  )
}

interface StatementProps {
  readonly entries: readonly WalletEntry[]
  readonly isFiltered: boolean
}

function Statement({ entries, isFiltered }: StatementProps) {
  if (entries.length === 0) return isFiltered ? <NoMatches what="transactions" page="/dashboard/wallet" /> : <NoneYet />
  return (
    <Table columns={columns} label="Wallet statement">
      {entries.map((entry) => (
        <Row key={entry.id}>
          <Cell from="sm" className="text-soft">
            <Moment at={entry.at} as="brief" />
          </Cell>
          <Cell className="max-w-64">
            <span className="block truncate font-medium">
              {entry.payout_id ? (
                <Link to="/dashboard/payouts/$id" params={{ id: entry.payout_id }} className="hover:underline">
                  {kinds[entry.kind]}
                </Link>
              ) : (
                kinds[entry.kind]
              )}
            </span>
            <span className="block truncate text-xs text-soft">
              {entry.description !== kinds[entry.kind] && entry.description}
            </span>
            <span className="block text-xs text-soft sm:hidden">
              <Moment at={entry.at} as="brief" />
            </span>
          </Cell>
          <Cell align="right" className={entry.amount_usdc.startsWith('-') ? '' : 'text-good'}>
            <span className="figures">{grouped(entry.amount_usdc.replace(/^(?=\d)/, '+'))}</span>
            <span className="block text-xs text-soft sm:hidden">
              balance <span className="figures">{grouped(entry.balance_usdc)}</span>
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
      title="No transactions yet"
      action={
        <ButtonLink to="/dashboard/top-up" weight="primary">
          Top up
        </ButtonLink>
      }
    >
      Top-ups, payouts and refunds appear here with a running balance.
    </Empty>
  )
}
