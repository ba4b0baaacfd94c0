// Requests, changes or security events of the account, newest first, or one of them. The text filter searches the loaded entries.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type ActivityKind, activityQuery } from '../../api/queries'
import type { Activity } from '../../api/types'
import { Page } from '../../parts/card'
import { Copyable } from '../../parts/copy'
import {
  type Days,
  DaysFilter,
  FilterBar,
  FilterItem,
  instantsOf,
  TextFilter,
  useSearchChange,
} from '../../parts/filters'
import { ButtonLink } from '../../parts/forms/button'
import { Choice } from '../../parts/forms/field'
import { Empty, PagesCard } from '../../parts/loaded'
import { Cell, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { pounds, whoWords } from '../../words'

const aboutRequests =
  'API requests and dashboard actions, sandbox and live, newest first. Request bodies aren’t stored.'
const aboutKinds: Readonly<Record<ActivityKind, string>> = {
  everything: aboutRequests,
  changes: aboutRequests,
  security:
    'Sign-ins, confirm codes, and changes to keys, members, roles, contact emails and the account status, newest first. We keep these permanently.',
}

const columns = [
  { head: 'Time', from: 'sm' },
  { head: 'Action' },
  { head: 'Actor' },
  { head: 'Environment', from: 'md' },
  { head: 'Status', from: 'sm' },
  { head: 'Request ID', from: 'lg' },
] as const

interface AuditLogSearch extends Days {
  readonly show?: string | undefined
  readonly q?: string | undefined
  /** The id of the only entry to show. */
  readonly entry?: string | undefined
}

export function AuditLogPage() {
  const search = useSearch({ from: '/dashboard/audit-log' })
  if (search.entry !== undefined) return <OneEntry id={search.entry} />
  return <Log search={search} />
}

function Log({ search }: { readonly search: AuditLogSearch }) {
  const kind = kindFrom(search.show)
  const query = useInfiniteQuery(activityQuery(kind, instantsOf(search)))
  const shows = (entry: Activity) => textOf(entry).includes((search.q ?? '').toLowerCase())
  const change = useSearchChange('/dashboard/audit-log', search)
  return (
    <Page title="Audit log" about={aboutKinds[kind]}>
      <search>
        <FilterBar>
          <TextFilter
            label="Filter"
            placeholder="Action, error, payout, person, key or request ID"
            asked={search.q}
            ask={(q) => change({ q }, 'replace')}
          />
          <FilterItem size="date">
            <Choice label="Show" value={kind} onChange={({ target }) => change({ show: target.value })}>
              <option value="everything">Everything</option>
              <option value="changes">Changes only</option>
              <option value="security">Security</option>
            </Choice>
          </FilterItem>
          <DaysFilter days={search} change={(days) => change(days)} />
        </FilterBar>
      </search>
      <PagesCard query={query} what="requests" rows={10}>
        {(requests) => <Entries entries={requests.filter(shows)} />}
      </PagesCard>
    </Page>
  )
}

function OneEntry({ id }: { readonly id: string }) {
  const query = useInfiniteQuery(activityQuery('everything', { id }))
  return (
    <Page
      title="Audit log entry"
      about="One entry of the audit log. You can share the address of this page with your team."
      actions={
        <ButtonLink to="/dashboard/audit-log" search={{}}>
          All entries
        </ButtonLink>
      }
    >
      <PagesCard query={query} what="requests" rows={1}>
        {(entries) => <Entries entries={entries} />}
      </PagesCard>
    </Page>
  )
}

function kindFrom(value: string | undefined): ActivityKind {
  return value === 'changes' || value === 'security' ? value : 'everything'
}

function textOf({ action, by, detail, environment, payout, request_id, status }: Activity): string {
  const about = [payout?.recipient.name, payout && pounds(payout.amount_gbp)]
  return [action, by, detail, environment, request_id, status, ...about].join(' ').toLowerCase()
}

function Entries({ entries }: { readonly entries: readonly Activity[] }) {
  if (entries.length === 0) return <Empty title="No matching activity">Try another filter.</Empty>
  return (
    <Table columns={columns} label="Audit log">
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
              <Copyable text={entry.request_id} name="request ID" shown={entry.request_id.slice(0, 8)} />
            )}
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

/** The time of an entry, which links to its own address. */
function EntryLink({ of: { id, at } }: { readonly of: Activity }) {
  return (
    <Link to="/dashboard/audit-log" search={{ entry: id }} className="hover:underline">
      <Moment at={at} as="brief" />
    </Link>
  )
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Links to the payout of the request, in its environment. */
function Detail({ of: { action, detail, environment, payout, status } }: { readonly of: Activity }) {
  if (detail === null) return null
  if (/^(payout|case)\./.test(action) && uuid.test(detail) && environment !== null) {
    return (
      <Link
        to="/dashboard/payouts/$id"
        params={{ id: detail }}
        search={{ environment }}
        className="block text-xs text-soft hover:underline"
      >
        {payout && (
          <span className="block truncate text-ink">
            {pounds(payout.amount_gbp)} to {payout.recipient.name ?? 'an unnamed recipient'}
          </span>
        )}
        <span className="block truncate">{detail}</span>
      </Link>
    )
  }
  return <span className={`block truncate text-xs ${(status ?? 0) >= 400 ? 'text-bad' : 'text-soft'}`}>{detail}</span>
}
