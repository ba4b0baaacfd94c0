// The table of payouts that all pages use.
import { Link } from '@tanstack/react-router'
import type { Payout } from '../../api/types'
import { Cell, overRow, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { Gbp, Usdc } from '../../parts/values/money'
import { Status } from '../../parts/values/status'

const columns = [
  { head: 'Recipient' },
  { head: 'Reference', from: 'md' },
  { head: 'Status', from: 'sm' },
  { head: 'Created', from: 'sm' },
  { head: 'Debited', align: 'right', from: 'lg' },
  { head: 'Amount', align: 'right' },
] as const

/** The filters of the list, as in its address. */
export interface PayoutSearch {
  /** Several are separated by commas. */
  readonly status?: string | undefined
  readonly q?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly min?: string | undefined
  readonly max?: string | undefined
}

interface PayoutsTableProps {
  readonly payouts: readonly Payout[]
  /** The filters of the list, to which a payout's page links back. */
  readonly search?: PayoutSearch
}

export function PayoutsTable({ payouts, search }: PayoutsTableProps) {
  return (
    <Table columns={columns} label="Payouts">
      {payouts.map((payout) => (
        <Row key={payout.id}>
          <Cell className="max-w-48">
            <Link
              to="/dashboard/payouts/$id"
              params={{ id: payout.id }}
              state={{ payoutSearch: search }}
              className={`block truncate font-medium hover:underline ${overRow}`}
            >
              {payout.recipient.name ?? 'Unnamed'}
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

/** Its money never left the wallet, or is back in it. */
const isUnsent = ({ status }: Payout) => status === 'failed' || status === 'cancelled'
