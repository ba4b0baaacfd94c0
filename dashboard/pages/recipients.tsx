// Whom the partner has paid in the last twelve months, by account.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { recipientsQuery } from '../api/queries'
import { ButtonLink } from '../parts/button'
import { Card, Page } from '../parts/card'
import { Bars, Empty } from '../parts/loaded'
import { Moment } from '../parts/moment'
import { Gbp } from '../parts/money'
import { More } from '../parts/more'
import { Trouble } from '../parts/notice'
import { Cell, Row, Table } from '../parts/table'
import { useEnvironment, useIsAdmin } from '../shell/here'

const columns = [
  { head: 'Recipient' },
  { head: 'Payouts', align: 'right', from: 'sm' },
  { head: 'Last paid', from: 'sm' },
  { head: 'Paid in all', align: 'right' },
] as const

export function RecipientsPage() {
  const query = useInfiniteQuery(recipientsQuery(useEnvironment()))
  const isAdmin = useIsAdmin()
  const recipients = query.data?.pages.flatMap(({ data }) => data)
  return (
    <Page
      title="Recipients"
      about="Everyone you paid in the last twelve months, by account. Full account numbers are never shown."
    >
      <Card flush>
        {recipients === undefined &&
          (query.error ? (
            <div className="p-4">
              <Trouble error={query.error} retry={() => void query.refetch()} />
            </div>
          ) : (
            <Bars rows={8} />
          ))}
        {recipients?.length === 0 && (
          <Empty
            title="Nobody was paid yet"
            action={
              isAdmin && (
                <ButtonLink to="/dashboard/send" weight="primary">
                  Send a payout
                </ButtonLink>
              )
            }
          >
            Recipients appear here with their first payout.
          </Empty>
        )}
        {recipients && recipients.length > 0 && (
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
                </Cell>
                <Cell from="sm" align="right">
                  <span className="figures">{recipient.payouts}</span>
                </Cell>
                <Cell from="sm" className="text-soft">
                  <Moment at={recipient.last_paid_at} as="brief" />
                </Cell>
                <Cell align="right" className="font-medium">
                  <Gbp of={recipient.paid_gbp} />
                </Cell>
              </Row>
            ))}
          </Table>
        )}
        <More of={query} what="recipients" />
      </Card>
    </Page>
  )
}
