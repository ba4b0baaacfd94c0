// Requests, changes or security events of the account, newest first. The text filter searches the loaded entries.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type ActivityKind, activityQuery } from '../../api/queries'
import type { Activity } from '../../api/types'
import { Page } from '../../parts/card'
import { Copyable } from '../../parts/copy'
import { Choice, controlled, Field } from '../../parts/forms/field'
import { Empty, PagesCard } from '../../parts/loaded'
import { Cell, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { whoWords } from '../../words'

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

export function AuditLogPage() {
  const [kind, setKind] = useState<ActivityKind>('everything')
  const query = useInfiniteQuery(activityQuery(kind))
  const [typed, setTyped] = useState('')
  const shows = (entry: Activity) => textOf(entry).includes(typed.trim().toLowerCase())
  return (
    <Page title="Audit log" about={aboutKinds[kind]}>
      <search className="grid gap-3 sm:grid-cols-[minmax(12rem,1fr)_12rem]">
        <Field
          label="Filter"
          type="search"
          placeholder="Action, error, payout, person, key or request ID"
          {...controlled(typed, setTyped)}
        />
        <Choice label="Show" value={kind} onChange={(event) => setKind(kindFrom(event.target.value))}>
          <option value="everything">Everything</option>
          <option value="changes">Changes only</option>
          <option value="security">Security</option>
        </Choice>
      </search>
      <PagesCard query={query} what="requests" rows={10}>
        {(requests) => <Entries entries={requests.filter(shows)} />}
      </PagesCard>
    </Page>
  )
}

function kindFrom(value: string): ActivityKind {
  return value === 'changes' || value === 'security' ? value : 'everything'
}

function textOf({ action, by, detail, environment, request_id, status }: Activity): string {
  return [action, by, detail, environment, request_id, status].join(' ').toLowerCase()
}

function Entries({ entries }: { readonly entries: readonly Activity[] }) {
  if (entries.length === 0) return <Empty title="No matching activity">Try another filter.</Empty>
  return (
    <Table columns={columns} label="Audit log">
      {entries.map((entry, index) => (
        <Row key={`${entry.at}${entry.request_id}${index}`}>
          <Cell from="sm" className="text-soft">
            <Moment at={entry.at} as="brief" />
          </Cell>
          <Cell className="max-w-56">
            <code className="block truncate font-mono text-xs font-medium">{entry.action}</code>
            <Detail of={entry} />
            <span className="block text-xs text-soft sm:hidden">
              <Moment at={entry.at} as="brief" />
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

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Links to the payout of the request, in its environment. */
function Detail({ of: { action, detail, environment, status } }: { readonly of: Activity }) {
  if (detail === null) return null
  if (/^(payout|case)\./.test(action) && uuid.test(detail) && environment !== null) {
    return (
      <Link
        to="/dashboard/payouts/$id"
        params={{ id: detail }}
        search={{ environment }}
        className="block truncate text-xs text-soft hover:underline"
      >
        {detail}
      </Link>
    )
  }
  return <span className={`block truncate text-xs ${(status ?? 0) >= 400 ? 'text-bad' : 'text-soft'}`}>{detail}</span>
}
