// GET /v1/payouts.csv: the payouts that the list's filters choose, as a file for a spreadsheet.
import { listPayouts, type PayoutRow } from '../../db/payouts/payouts'
import { formatPence, formatUsdc } from '../../domain/money'
import { londonDayOf } from '../../domain/month'
import type { ApiDeps } from '../deps'
import { csvReply, csvShape } from '../http/csv-export'
import { queryOf } from '../http/requests/typed'
import { type ApiRequest, get, type Reply } from '../http/route'
import { authenticate, authorize, limitHistoryRead, validate } from '../http/steps'
import { FilterQuery, filtersOf } from './read'

export const exportPayoutsRoute = get('/v1/payouts.csv', {
  steps: [
    authenticate,
    limitHistoryRead,
    authorize('payout.export', { by: 'key', partner: 'any' }),
    validate({ query: FilterQuery }),
    exportPayouts,
  ],
  docs: {
    operationId: 'exportPayouts',
    tag: 'Payouts',
    summary: 'Payouts as CSV',
    description:
      'Takes the filters of the list, and answers all that they choose. `account_last4` is text: a spreadsheet that guesses types drops its leading zeros unless that column is imported as text.',
    reply: csvShape,
    errors: ['invalid_request'],
  },
})

async function exportPayouts(request: ApiRequest, { db, clock }: ApiDeps): Promise<Reply> {
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
