// The latest 200 requests on the account, or the latest 200 that changed something, by keys and by people; searched in here.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ActivityKind, activityQuery } from '../api/queries'
import type { Activity } from '../api/types'
import { Card, Page } from '../parts/card'
import { Copyable } from '../parts/copy'
import { Choice, Field } from '../parts/field'
import { Bars, Empty, Loaded } from '../parts/loaded'
import { Moment } from '../parts/moment'
import { Cell, Row, Table } from '../parts/table'

const columns = [
  { head: 'When', from: 'sm' },
  { head: 'What' },
  { head: 'By' },
  { head: 'Environment', from: 'md' },
  { head: 'Answer', from: 'sm' },
  { head: 'Request', from: 'lg' },
] as const

export function AuditLogPage() {
  const [kind, setKind] = useState<ActivityKind>('everything')
  const query = useQuery(activityQuery(kind))
  const [typed, setTyped] = useState('')
  const shows = (entry: Activity) => textOf(entry).includes(typed.trim().toLowerCase())
  return (
    <Page
      title="Audit log"
      about="The latest 200 requests: by API keys and by people, in both environments. Bodies are never kept here."
    >
      <search className="grid gap-3 sm:grid-cols-[minmax(12rem,1fr)_12rem]">
        <Field
          label="Filter"
          type="search"
          placeholder="Action, person, key, request id"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Choice
          label="Show"
          value={kind}
          onChange={(event) => setKind(event.target.value === 'changes' ? 'changes' : 'everything')}
        >
          <option value="everything">Everything</option>
          <option value="changes">Changes only</option>
        </Choice>
      </search>
      <Card flush>
        <Loaded query={query} skeleton={<Bars rows={10} />}>
          {({ data }) => <Entries entries={data.filter(shows)} />}
        </Loaded>
      </Card>
    </Page>
  )
}

function textOf({ action, by, detail, environment, request_id, status }: Activity): string {
  return [action, by, detail, environment, request_id, status].join(' ').toLowerCase()
}

function Entries({ entries }: { readonly entries: readonly Activity[] }) {
  if (entries.length === 0)
    return <Empty title="Nothing here">Either nothing happened yet, or nothing matches the filter.</Empty>
  return (
    <Table columns={columns} label="Audit log">
      {entries.map((entry, index) => (
        <Row key={`${entry.at}${entry.request_id}${index}`}>
          <Cell from="sm" className="text-soft">
            <Moment at={entry.at} as="brief" />
          </Cell>
          <Cell className="max-w-56">
            <code className="block truncate font-mono text-xs font-medium">{entry.action}</code>
            {entry.detail && <span className="block truncate text-xs text-soft">{entry.detail}</span>}
            <span className="block text-xs text-soft sm:hidden">
              <Moment at={entry.at} as="brief" />
              {entry.status !== null && ` · ${entry.status}`}
            </span>
          </Cell>
          <Cell className="max-w-44 text-soft wrap-anywhere">{entry.by.replace(/^key:/, '')}</Cell>
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
              <Copyable text={entry.request_id} name="request id" shown={entry.request_id.slice(0, 8)} />
            )}
          </Cell>
        </Row>
      ))}
    </Table>
  )
}
