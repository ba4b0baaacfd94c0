// GET /v1/invoices/{id}/charges and .csv: the charges behind the lines of an invoice, unrounded.
import { type Static, Type } from 'typebox'
import { hasChargeOf, type InvoiceCharges, type ListedCharge, listChargesOf } from '../../db/invoices/charges'
import { chargeCauses, chargeKinds, invoiceLineKinds, lineKindOf } from '../../domain/invoices/invoice'
import { monthPattern } from '../../domain/month'
import type { ApiDeps } from '../deps'
import { csvReply, csvShape } from '../http/csv-export'
import { listShape, PageQuery, pageReply } from '../http/list'
import { queryOf } from '../http/requests/read-request'
import { type ApiRequest, get, type Reply } from '../http/route'
import {
  Component,
  Constant,
  DateTime,
  environmentQuery,
  IdParams,
  Nullable,
  OneOf,
  Pattern,
  Strict,
  Uuid,
} from '../http/schema'
import { historyChecks } from '../http/steps'
import { presentCharge } from './present-charge'
import { requireInvoice } from './read'

const Charge = Component('Charge', {
  id: Uuid(),
  object: Constant('charge'),
  kind: OneOf(chargeKinds),
  line_kind: OneOf(invoiceLineKinds, { description: 'The invoice line that includes the charge.' }),
  amount_gbp: Pattern(String.raw`^\d+\.\d{2,6}$`, {
    description: 'Exact, with two to six decimals; only lines are rounded. Credits are positive too.',
  }),
  cause: OneOf(chargeCauses, {
    description:
      'payout_completed: the payout was delivered. payout_returned: it was returned. case_resolved: a recall or trace was resolved. ' +
      'monthly_account: the monthly fee of the account. verification: the business was verified. ' +
      'correction: a credit, with its reason in description.',
  }),
  payout_id: Nullable(Uuid({ description: 'The payout that caused it, if any.' })),
  case_id: Nullable(Uuid({ description: 'The recall or trace that caused it, if any.' })),
  month: Pattern(monthPattern, {
    description:
      'The month of the charge. It is earlier than the month of the invoice if the charge was too late for its own invoice.',
  }),
  description: Nullable(Type.String()),
  created_at: DateTime(),
})

const filters = {
  line_kind: Type.Optional(
    OneOf(invoiceLineKinds, {
      description: 'Only the charges of this line.',
      'x-hint': `one of ${invoiceLineKinds.join(', ')}`,
    }),
  ),
}

const ListQuery = PageQuery(filters)
const CsvQuery = Strict({ ...environmentQuery, ...filters })

export const listInvoiceChargesRoute = get('/v1/invoices/:id/charges', 'listInvoiceCharges', {
  steps: [
    ...historyChecks('charge.list', { by: 'key', partner: 'any' }, { params: IdParams, query: ListQuery }),
    listInvoiceCharges,
  ],
  summary: 'List the charges of an invoice',
  description:
    'The amount of a line is the exact sum of the charges of its line_kind, rounded half up to the penny. ' +
    'Credit carried in from earlier invoices is not a charge. It has its own line, and the invoice shows it as credit_carried_in_gbp. ' +
    'A void invoice still lists its charges; the invoice that replaced it lists them too.',
  reply: listShape('A page of charges.', Charge, [
    {
      id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a59',
      object: 'charge',
      kind: 'network_fee',
      line_kind: 'network_fees',
      amount_gbp: '0.0198',
      cause: 'payout_completed',
      payout_id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
      case_id: null,
      month: '2026-10',
      description: null,
      created_at: '2026-10-16T09:31:00.000Z',
    },
  ]),
  errors: ['invalid_request', 'not_found'],
})

async function listInvoiceCharges(request: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  const { id } = await requireInvoice(request, db)
  const query = queryOf<typeof ListQuery>(request)
  return pageReply(query, {
    find: (cursor) => hasChargeOf(db, id, cursor),
    read: (page) => listChargesOf(db, chosen(id, query), page),
    cursorOf: (charge) => charge.id,
    present: presentCharge,
  })
}

export const exportInvoiceChargesRoute = get('/v1/invoices/:id/charges.csv', 'exportInvoiceCharges', {
  steps: [
    ...historyChecks('charge.export', { by: 'key', partner: 'any' }, { params: IdParams, query: CsvQuery }),
    exportInvoiceCharges,
  ],
  summary: 'Export the charges of an invoice as CSV',
  description: 'Contains the fields of the list. Credits are negative here, so that the amounts can be summed.',
  reply: csvShape,
  errors: ['invalid_request', 'not_found'],
})

async function exportInvoiceCharges(request: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  const invoice = await requireInvoice(request, db)
  const wanted = chosen(invoice.id, queryOf<typeof CsvQuery>(request))
  return csvReply<ListedCharge>({
    fileName: `${invoice.number}-charges`,
    columns: [
      'id',
      'created_at',
      'kind',
      'line_kind',
      'amount_gbp',
      'cause',
      'payout_id',
      'case_id',
      'month',
      'description',
    ],
    read: (page) => listChargesOf(db, wanted, page),
    cellsOf: (row) => {
      const charge = presentCharge(row)
      const sign = charge.kind === 'credit' ? '-' : ''
      return [
        charge.id,
        charge.created_at,
        charge.kind,
        charge.line_kind,
        { number: sign + charge.amount_gbp },
        charge.cause,
        charge.payout_id ?? '',
        charge.case_id ?? '',
        charge.month,
        charge.description ?? '',
      ]
    },
  })
}

function chosen(invoiceId: string, { line_kind }: Static<typeof CsvQuery>): InvoiceCharges {
  return { invoiceId, kinds: line_kind && chargeKinds.filter((kind) => lineKindOf[kind] === line_kind) }
}
