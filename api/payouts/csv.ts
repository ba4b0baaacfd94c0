// GET /v1/payouts.csv: the payouts that the list's filters choose, as a file for a spreadsheet.
import { listPayouts, type PayoutRow } from '../../db/payouts/payouts'
import { formatPence, formatUsdc } from '../../domain/money'
import { londonDayOf } from '../../domain/month'
import { csvReply, csvShape } from '../http/csv-export'
import { queryOf } from '../http/requests/typed'
import type { Route } from '../http/route'
import { FilterQuery, filtersOf } from './read'

export const exportPayouts: Route = {
  method: 'GET',
  path: '/v1/payouts.csv',
  operationId: 'exportPayouts',
  tag: 'Payouts',
  summary: 'Payouts as CSV',
  description:
    'Takes the filters of the list, and answers all that they choose. `account_last4` is text: a spreadsheet that guesses types drops its leading zeros unless that column is imported as text.',
  access: { by: 'key', action: 'payout.export', partner: 'any' },
  query: FilterQuery,
  reply: csvShape,
  errors: ['invalid_request'],
  reads: 'history',
  handle: async (request, { db, clock }) => {
    const filters = filtersOf(queryOf<typeof FilterQuery>(request))
    const { partner, environment } = request.caller
    return csvReply<PayoutRow>({
      fileName: `payouts-${environment}-${londonDayOf(clock.now())}`,
      columns,
      read: (page) => listPayouts(db, { partnerId: partner.id, environment }, filters, page),
      cursorOf: ({ id }) => id,
      cellsOf: (payout) => [
        payout.id,
        payout.createdAt.toISOString(),
        payout.updatedAt.toISOString(),
        payout.status,
        payout.recipientName ?? '',
        payout.accountLast4 ?? '',
        payout.reference ?? '',
        { number: formatPence(payout.amountPence) },
        { number: formatPence(payout.feePence) },
        { number: formatUsdc(payout.walletSendsMicroUsdc) },
        payout.failureReason ?? '',
        payout.createdVia,
        payout.completedAt?.toISOString() ?? '',
        { number: formatPence(payout.feePence - payout.feeInTransferPence) },
      ],
    })
  },
}

const columns = [
  'id',
  'created_at',
  'updated_at',
  'status',
  'recipient_name',
  'account_last4',
  'reference',
  'amount_gbp',
  'fee_gbp',
  'wallet_sent_usdc',
  'failure_reason',
  'created_via',
  'completed_at',
  'fee_on_monthly_invoice_gbp',
]
