// Recipients of the last twelve months, by account.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { recipientsQuery } from '../../api/queries'
import type { RecipientSummary } from '../../api/types'
import { Page } from '../../parts/card'
import { ButtonLink } from '../../parts/forms/button'
import { Empty, PagesCard } from '../../parts/loaded'
import { Cell, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { Gbp } from '../../parts/values/money'
import { useEnvironment, useIsAdmin } from '../../shell/here'

const columns = [
  { head: 'Recipient' },
  { head: 'Last paid', from: 'sm' },
  { head: 'Payouts', align: 'right', from: 'sm' },
  { head: 'Total paid', align: 'right' },
] as const

export function RecipientsPage() {
  const query = useInfiniteQuery(recipientsQuery(useEnvironment()))
  return (
    <Page
      title="Recipients"
      about="Everyone you’ve paid in the last 12 months, by account. Full account numbers are never shown."
    >
      <PagesCard query={query} what="recipients">
        {(recipients) => <Recipients recipients={recipients} />}
      </PagesCard>
    </Page>
  )
}

function Recipients({ recipients }: { readonly recipients: readonly RecipientSummary[] }) {
  if (recipients.length === 0) return <NoRecipients />
  return (
    <Table columns={columns} label="Recipients">
      {recipients.map((recipient, index) => (
        <Row key={`${recipient.name}${recipient.account_last4}${index}`}>
          <Cell className="max-w-56">
            <Link
              to="/dashboard/payouts"
              search={{ q: recipient.account_last4 ?? '' }}
              className="block truncate font-medium hover:underline"
            >
              {recipient.name ?? 'Unnamed'}
            </Link>
            <span className="figures text-xs text-soft">•••• {recipient.account_last4}</span>
            <span className="block text-xs text-soft sm:hidden">
              last paid <Moment at={recipient.last_paid_at} as="brief" />
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
            <span className="block text-xs font-normal text-soft sm:hidden">
              {recipient.payouts} {recipient.payouts === 1 ? 'payout' : 'payouts'}
            </span>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

function NoRecipients() {
  const isAdmin = useIsAdmin()
  return (
    <Empty
      title="No recipients yet"
      action={
        isAdmin && (
          <ButtonLink to="/dashboard/send" weight="primary">
            Send a payout
          </ButtonLink>
        )
      }
    >
      Recipients appear here after their first payout.
    </Empty>
  )
}
