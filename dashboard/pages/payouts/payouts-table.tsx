// The payouts table on the Home and Payouts pages.
import { Link } from '@tanstack/react-router'
import type { PayoutSort } from '../../api/queries'
import type { Payout } from '../../api/types'
import { Cell, overRow, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { Gbp, Usdc } from '../../parts/values/money'
import { Status } from '../../parts/values/status'
import { texts } from './texts'

const words = texts.table

const columnsBy = (sort: PayoutSort | undefined) =>
  [
    { head: words.recipient },
    { head: words.reference, from: 'md' },
    { head: words.status, from: 'sm' },
    {
      head: words.created,
      from: 'sm',
      sorted: sort === 'newest' ? 'descending' : sort === 'oldest' ? 'ascending' : undefined,
    },
    { head: words.debited, align: 'right', from: 'lg' },
    {
      head: words.amount,
      align: 'right',
      sorted: sort === 'largest' ? 'descending' : sort === 'smallest' ? 'ascending' : undefined,
    },
  ] as const

/** The filters and the order of the list, as they appear in the URL. */
export interface PayoutSearch {
  /** Several statuses are separated by commas. */
  readonly status?: string | undefined
  readonly q?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly min?: string | undefined
  readonly max?: string | undefined
  /** The creator: an email address, or `key:` followed by a key's prefix. */
  readonly by?: string | undefined
  readonly sort?: string | undefined
}

interface PayoutsTableProps {
  readonly payouts: readonly Payout[]
  /** The filters of the list, so that a payout's page can link back to them. */
  readonly search?: PayoutSearch
  /** The order of the list, if the user can choose it. */
  readonly sort?: PayoutSort
}

export function PayoutsTable({ payouts, search, sort }: PayoutsTableProps) {
  return (
    <Table columns={columnsBy(sort)} label={words.label}>
      {payouts.map((payout) => (
        <Row key={payout.id}>
          <Cell className="max-w-48">
            <Link
              to="/dashboard/payouts/$id"
              params={{ id: payout.id }}
              state={{ payoutSearch: search }}
              className={`block truncate font-medium ${overRow}`}
            >
              {payout.recipient.name ?? words.unnamed}
            </Link>
            <span className="figures text-xs text-soft">•••• {payout.recipient.account_last4}</span>
            {payout.reference && <span className="block truncate text-xs text-soft md:hidden">{payout.reference}</span>}
            <span className="block text-xs text-soft sm:hidden">
              <Moment at={payout.created_at} as="brief" />
            </span>
          </Cell>
          <Cell from="md" className="max-w-52 truncate text-soft">
            {payout.reference ?? '–'}
          </Cell>
          <Cell from="sm">
            <Status of={payout.status} />
          </Cell>
          <Cell from="sm" className="text-soft">
            <Moment at={payout.created_at} as="brief" />
          </Cell>
          <Cell from="lg" align="right" className="text-soft">
            {isUnsent(payout) ? '–' : <Usdc of={payout.wallet_sent_usdc} />}
          </Cell>
          <Cell align="right" className="font-medium">
            <Gbp of={payout.amount_gbp} />
            <span className="mt-1 block sm:hidden">
              <Status of={payout.status} />
            </span>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

/** These payouts cost the wallet nothing. */
const isUnsent = ({ status }: Payout) => status === 'failed' || status === 'cancelled'
