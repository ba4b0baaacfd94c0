// The audit log: the account's requests, changes or security events, newest first, or a single entry.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type ActivityKind, activityParams, activityQuery } from '../../api/queries'
import type { Activity } from '../../api/types'
import { Page } from '../../parts/card'
import { Copyable } from '../../parts/copy'
import { DownloadButton } from '../../parts/download'
import {
  type Days,
  DaysFilter,
  FilterBar,
  FilterItem,
  instantsOf,
  NoMatches,
  TextFilter,
  useSearchChange,
} from '../../parts/filters'
import { ButtonLink } from '../../parts/forms/button'
import { Choice } from '../../parts/forms/field'
import { Empty, PagesCard } from '../../parts/loaded'
import { aboveRow, Cell, overRow, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { pounds, whoWords } from '../../words'
import { texts } from './texts'

const columns = [
  { head: texts.columns.time, from: 'sm' },
  { head: texts.columns.action },
  { head: texts.columns.actor },
  { head: texts.columns.environment, from: 'md' },
  { head: texts.columns.status, from: 'sm' },
  { head: texts.columns.requestId, from: 'lg' },
] as const

interface AuditLogSearch extends Days {
  readonly show?: string | undefined
  readonly q?: string | undefined
  /** The ID of the only entry to show. */
  readonly entry?: string | undefined
}

export function AuditLogPage() {
  const search = useSearch({ from: '/dashboard/audit-log' })
  if (search.entry !== undefined) return <OneEntry id={search.entry} />
  return <Log search={search} />
}

function Log({ search }: { readonly search: AuditLogSearch }) {
  const kind = kindFrom(search.show)
  const filters = { q: search.q, ...instantsOf(search) }
  const query = useInfiniteQuery(activityQuery(kind, filters))
  const isFiltered = kind !== 'everything' || Object.values(filters).some(Boolean)
  const none = isFiltered ? (
    <NoMatches what={texts.what} page="/dashboard/audit-log" />
  ) : (
    <Empty title={texts.noneYet} />
  )
  const change = useSearchChange('/dashboard/audit-log', search)
  return (
    <Page
      title={texts.title}
      about={texts.about[kind]}
      actions={<DownloadButton path="/v1/activity.csv" query={activityParams(kind, filters)} type={texts.exportCsv} />}
    >
      <search>
        <FilterBar>
          <TextFilter
            label={texts.filter}
            placeholder={texts.filterHint}
            asked={search.q}
            ask={(q) => change({ q }, 'replace')}
          />
          <FilterItem size="date">
            <Choice label={texts.show} value={kind} onChange={({ target }) => change({ show: target.value })}>
              {Object.entries(texts.shows).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </Choice>
          </FilterItem>
          <DaysFilter days={search} change={(days) => change(days)} />
        </FilterBar>
      </search>
      <PagesCard query={query} what={texts.what} rows={10}>
        {(requests) => <Entries entries={requests} none={none} />}
      </PagesCard>
    </Page>
  )
}

function OneEntry({ id }: { readonly id: string }) {
  const query = useInfiniteQuery(activityQuery('everything', { id }))
  return (
    <Page
      title={texts.entry.title}
      about={texts.entry.about}
      actions={
        <ButtonLink to="/dashboard/audit-log" search={{}}>
          {texts.entry.all}
        </ButtonLink>
      }
    >
      <PagesCard query={query} what={texts.what} rows={1}>
        {(entries) => <Entries entries={entries} none={<Empty title={texts.entry.notFound} />} />}
      </PagesCard>
    </Page>
  )
}

function kindFrom(value: string | undefined): ActivityKind {
  return value === 'changes' || value === 'security' ? value : 'everything'
}

interface EntriesProps {
  readonly entries: readonly Activity[]
  /** Shown if there are no entries. */
  readonly none: ReactNode
}

function Entries({ entries, none }: EntriesProps) {
  if (entries.length === 0) return none
  return (
    <Table columns={columns} label={texts.title}>
      {entries.map((entry) => (
        <Row key={entry.id}>
          <Cell from="sm" className="text-soft">
            <EntryLink of={entry} />
          </Cell>
          <Cell className="max-w-56">
            <code className="block truncate font-mono text-xs font-medium">{entry.action}</code>
            <Detail of={entry} />
            <span className="block text-xs text-soft sm:hidden">
              <EntryLink of={entry} />
              {entry.status !== null && ` · ${entry.status}`}
            </span>
          </Cell>
          <Cell className="max-w-44 text-soft wrap-anywhere">{whoWords(entry.by.replace(/^key:/, ''))}</Cell>
          <Cell from="md" className="text-soft">
            {entry.environment ?? '–'}
          </Cell>
          <Cell from="sm">
            <span className={`figures ${(entry.status ?? 0) >= 400 ? 'font-medium text-bad' : ''}`}>
              {entry.status ?? '–'}
            </span>
          </Cell>
          <Cell from="lg">
            {entry.request_id && (
              <Copyable text={entry.request_id} name={texts.requestIdName} shown={entry.request_id.slice(0, 8)} />
            )}
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

/** The entry's time, as a link to the entry, unless the page shows only this entry. */
function EntryLink({ of: { id, at } }: { readonly of: Activity }) {
  const { entry } = useSearch({ from: '/dashboard/audit-log' })
  if (entry === id) return <Moment at={at} as="brief" />
  return (
    <Link to="/dashboard/audit-log" search={{ entry: id }} className={overRow}>
      {/* Otherwise the link would cover the time's tooltip. */}
      <span className={aboveRow}>
        <Moment at={at} as="brief" />
      </span>
    </Link>
  )
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** If the detail is a payout's ID, it links to the payout in the entry's environment. */
function Detail({ of: { action, detail, environment, payout, status } }: { readonly of: Activity }) {
  if (detail === null) return null
  if (/^(payout|case)\./.test(action) && uuid.test(detail) && environment !== null) {
    return (
      <Link
        to="/dashboard/payouts/$id"
        params={{ id: detail }}
        search={{ environment }}
        className={`block text-xs text-soft hover:underline ${aboveRow}`}
      >
        {payout && (
          <span className="block truncate text-ink">
            {texts.payout(pounds(payout.amount_gbp), payout.recipient.name)}
          </span>
        )}
        <span className="block truncate">{detail}</span>
      </Link>
    )
  }
  return <span className={`block truncate text-xs ${(status ?? 0) >= 400 ? 'text-bad' : 'text-soft'}`}>{detail}</span>
}
