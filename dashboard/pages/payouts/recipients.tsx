// Recipients of the last twelve months, one row per bank account, with a search by name or last four digits.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { recipientsQuery } from '../../api/queries'
import type { RecipientSummary } from '../../api/types'
import { Page } from '../../parts/card'
import { FilterBar, NoMatches, TextFilter, useSearchChange } from '../../parts/filters'
import { ButtonLink } from '../../parts/forms/button'
import { Empty, PagesCard } from '../../parts/loaded'
import { Cell, overRow, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { Gbp } from '../../parts/values/money'
import { useEnvironment, useIsAdmin } from '../../shell/here'
import { texts } from './texts'

const words = texts.recipients

const columns = [
  { head: words.columns.recipient },
  { head: words.columns.lastPaid, from: 'sm' },
  { head: words.columns.payouts, align: 'right', from: 'sm' },
  { head: words.columns.totalPaid, align: 'right' },
] as const

export function RecipientsPage() {
  const query = useInfiniteQuery(recipientsQuery(useEnvironment()))
  const search = useSearch({ from: '/dashboard/recipients' })
  const change = useSearchChange('/dashboard/recipients', search)
  // The API has no search, and a search of some pages would miss recipients.
  const isWhole = query.isSuccess && !query.hasNextPage
  const q = (isWhole && search.q) || ''
  return (
    <Page title={words.title} about={words.about}>
      {isWhole && (
        <search>
          <FilterBar>
            <TextFilter
              label={words.search}
              placeholder={words.searchHint}
              asked={search.q}
              ask={(text) => change({ q: text }, 'replace')}
            />
          </FilterBar>
        </search>
      )}
      <PagesCard query={query} what={words.what}>
        {(recipients) => (
          <Recipients recipients={recipients.filter((each) => matches(each, q))} isFiltered={q !== ''} />
        )}
      </PagesCard>
    </Page>
  )
}

function matches({ name, account_last4 }: RecipientSummary, q: string): boolean {
  return `${name ?? words.unnamed} ${account_last4 ?? ''}`.toLowerCase().includes(q.toLowerCase())
}

interface RecipientsProps {
  readonly recipients: readonly RecipientSummary[]
  readonly isFiltered: boolean
}

function Recipients({ recipients, isFiltered }: RecipientsProps) {
  if (recipients.length === 0)
    return isFiltered ? <NoMatches what={words.what} page="/dashboard/recipients" /> : <NoRecipients />
  return (
    <Table columns={columns} label={words.title}>
      {recipients.map((recipient, index) => (
        <Row key={`${recipient.name}${recipient.account_last4}${index}`}>
          <Cell className="max-w-56">
            <Link
              to="/dashboard/payouts"
              search={{ q: recipient.account_last4 ?? '' }}
              className={`block truncate font-medium ${overRow}`}
            >
              {recipient.name ?? words.unnamed}
            </Link>
            <span className="figures text-xs text-soft">•••• {recipient.account_last4}</span>
            <span className="block text-xs text-soft sm:hidden">
              {words.lastPaidOnPhone} <Moment at={recipient.last_paid_at} as="brief" />
            </span>
          </Cell>
          <Cell from="sm" className="text-soft">
            <Moment at={recipient.last_paid_at} as="brief" />
          </Cell>
          <Cell from="sm" align="right">
            <span className="figures">{recipient.payouts}</span>
          </Cell>
          <Cell align="right" className="font-medium">
            <Gbp of={recipient.paid_gbp} />
            <span className="block text-xs font-normal text-soft sm:hidden">{words.payouts(recipient.payouts)}</span>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

function NoRecipients() {
  const isAdmin = useIsAdmin()
  const send = (
    <ButtonLink to="/dashboard/send" weight="primary">
      {words.send}
    </ButtonLink>
  )
  return (
    <Empty title={words.noneYet} action={isAdmin && send}>
      {words.noneYetAbout}
    </Empty>
  )
}
