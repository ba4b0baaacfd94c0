// GET /v1/invoices and /v1/invoices/{id}: the invoices of a partner with their lines.
import { Type } from 'typebox'
import type { Queryable } from '../../db/database'
import {
  findInvoice,
  type InvoiceLineRow,
  type InvoiceRow,
  listInvoiceLines,
  listInvoices as listInvoiceRows,
} from '../../db/invoices/invoices'
import { seesLive } from '../../db/sign-in/callers'
import { invoiceLineKinds, invoiceStatuses } from '../../domain/invoices/invoice'
import { formatMicropounds, formatPence } from '../../domain/money'
import { monthPattern } from '../../domain/month'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { listShape, PageQuery, pageReply } from '../http/list'
import { paramsOf, queryOf } from '../http/requests/read-request'
import { type ApiRequest, get, ok, type Reply } from '../http/route'
import {
  Answer,
  Component,
  Constant,
  DateTime,
  IdParams,
  MoneyString,
  Nullable,
  OneOf,
  Pattern,
  Uuid,
} from '../http/schema'
import { checks } from '../http/steps'

/** Two years of monthly invoices. */
const recentInvoices = 24

/** `environment` is accepted, but has no effect here. */
const Query = PageQuery({}, recentInvoices)

const InvoiceLine = Answer({
  kind: OneOf(invoiceLineKinds),
  description: Type.String(),
  quantity: Type.Integer({ minimum: 0 }),
  unit_amount_gbp: Pattern(String.raw`^\d+\.\d{2,6}$`, {
    description: 'Exact, with fractions of a penny where needed.',
  }),
  amount_gbp: MoneyString({ description: 'Credits are positive too.' }),
})

const OtherInvoice = (description: string) => Nullable(Answer({ id: Uuid(), number: Type.String() }, { description }))

const Invoice = Component('Invoice', {
  id: Uuid(),
  object: Constant('invoice'),
  number: Pattern(String.raw`^INV-`, { description: 'Invoice numbers have no gaps. Quote the number when you pay.' }),
  period: Pattern(monthPattern, { description: 'The month of the charges. The last one, if there are several.' }),
  months: Type.Array(Pattern(monthPattern), {
    description:
      'All months that the invoice bills, oldest first: `period`, and earlier months that were not billed before.',
  }),
  status: OneOf(invoiceStatuses, {
    description:
      'open: to be paid. paid: paid, or issued with a total of 0.00. void: does not count; another invoice may have replaced it.',
  }),
  total_gbp: MoneyString({ description: 'Charges less credits, never below 0.00.' }),
  credit_carried_in_gbp: MoneyString({
    description: 'Credit from earlier invoices that this one used. It also appears as a line.',
  }),
  credit_carried_forward_gbp: MoneyString({
    description: 'Credit that is left for the next invoice.',
  }),
  issued_at: Nullable(DateTime()),
  due_at: Nullable(DateTime()),
  paid_at: Nullable(DateTime()),
  voided_at: Nullable(DateTime()),
  void_reason: Nullable(Type.String({ description: 'The reason why it is void; otherwise null.' })),
  replaces: OtherInvoice('The void invoice that this one replaces.'),
  replaced_by: OtherInvoice('The invoice that replaces this void one.'),
  payment_instructions: Type.Array(Type.String(), {
    description: 'Payment instructions, line by line. The payment reference is the number of the invoice.',
  }),
  lines: Type.Array(InvoiceLine),
})

const exampleInvoice = {
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a58',
  object: 'invoice',
  number: 'INV-2026-000123',
  period: '2026-10',
  months: ['2026-10'],
  status: 'open',
  total_gbp: '16.98',
  credit_carried_in_gbp: '0.00',
  credit_carried_forward_gbp: '0.00',
  issued_at: '2026-11-01T06:00:00.000Z',
  due_at: '2026-11-15T06:00:00.000Z',
  paid_at: null,
  voided_at: null,
  void_reason: null,
  replaces: null,
  replaced_by: null,
  payment_instructions: ['Payouts Ltd', 'Sort code 00-00-00', 'Account 00000000'],
  lines: [
    {
      kind: 'monthly_account',
      description: 'Monthly account, October 2026',
      quantity: 1,
      unit_amount_gbp: '15.00',
      amount_gbp: '15.00',
    },
    {
      kind: 'network_fees',
      description: 'Network fees',
      quantity: 100,
      unit_amount_gbp: '0.0198',
      amount_gbp: '1.98',
    },
  ],
}

export const listInvoicesRoute = get('/v1/invoices', 'listInvoices', {
  steps: [...checks('invoice.list', { by: 'key', partner: 'any' }, { query: Query }), listInvoices],
  summary: 'List invoices',
  description: 'Issued on the 1st for live usage of the previous month. A sandbox key gets an empty list.',
  reply: listShape('A page of invoices.', Invoice, [exampleInvoice]),
  errors: ['invalid_request'],
})

async function listInvoices(request: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  return pageReply(queryOf<typeof Query>(request), {
    find: (id) => findShownInvoice(request, db, id),
    async read(page) {
      // A sandbox key gets an empty list instead of an error: every key may read the list, and the sandbox has no
      // invoices.
      const invoices = seesLive(request.caller) ? await listInvoiceRows(db, request.caller.partner.id, page) : []
      const ids = invoices.map(({ id }) => id)
      const lines = await listInvoiceLines(db, ids)
      return invoices.map((invoice) => ({ invoice, lines }))
    },
    cursorOf: ({ invoice }) => invoice.id,
    present: ({ invoice, lines }) => presentInvoice(invoice, lines),
  })
}

export const getInvoiceRoute = get('/v1/invoices/:id', 'getInvoice', {
  steps: [...checks('invoice.read', { by: 'key', partner: 'any' }, { params: IdParams }), getInvoice],
  summary: 'Retrieve an invoice',
  description: 'Add .pdf or .csv to the ID for a document, or /charges for the charges behind the lines.',
  reply: ok('The invoice.', Invoice, exampleInvoice),
  errors: ['not_found'],
})

async function getInvoice(request: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  const invoice = await requireInvoice(request, db)
  return { body: presentInvoice(invoice, await listInvoiceLines(db, [invoice.id])) }
}

/** Loads the invoice in the path. Throws not_found for a draft, for another partner's invoice and for a sandbox key. */
export async function requireInvoice(request: ApiRequest, db: Queryable): Promise<InvoiceRow> {
  const invoice = await findShownInvoice(request, db, paramsOf<typeof IdParams>(request).id)
  if (invoice === null) throw new ApiError('not_found')
  return invoice
}

async function findShownInvoice({ caller }: ApiRequest, db: Queryable, id: string): Promise<InvoiceRow | null> {
  return seesLive(caller) ? findInvoice(db, caller.partner.id, id) : null
}

function presentInvoice(invoice: InvoiceRow, lines: readonly InvoiceLineRow[]): unknown {
  return {
    id: invoice.id,
    object: 'invoice',
    number: invoice.number,
    period: invoice.period,
    months: invoice.months,
    status: invoice.status,
    total_gbp: formatPence(invoice.totalPence),
    credit_carried_in_gbp: formatPence(invoice.carriedInPence),
    credit_carried_forward_gbp: formatPence(invoice.carriedPence),
    issued_at: invoice.issuedAt?.toISOString() ?? null,
    due_at: invoice.dueAt?.toISOString() ?? null,
    paid_at: invoice.paidAt?.toISOString() ?? null,
    voided_at: invoice.voidedAt?.toISOString() ?? null,
    void_reason: invoice.voidReason,
    replaces: invoice.replaces,
    replaced_by: invoice.replacedBy,
    payment_instructions: invoice.document?.seller.paymentLines ?? [],
    lines: lines.filter(({ invoiceId }) => invoiceId === invoice.id).map(presentLine),
  }
}

function presentLine(line: InvoiceLineRow): unknown {
  return {
    kind: line.kind,
    description: line.description,
    quantity: line.quantity,
    unit_amount_gbp: formatMicropounds(line.unitAmountMicropounds),
    amount_gbp: formatPence(line.amountPence),
  }
}
