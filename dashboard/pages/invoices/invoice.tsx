// One invoice: its state, how to pay it, its lines, and the charges behind each line.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Refusal } from '../../api/call'
import { chargesQuery, invoiceQuery } from '../../api/queries'
import type { Charge, Invoice } from '../../api/types'
import { Card, Fact, Facts, GbpFact, Page } from '../../parts/card'
import { Copyable } from '../../parts/copy'
import { ButtonLink } from '../../parts/forms/button'
import { Empty, Loaded, PagesCard } from '../../parts/loaded'
import { Notice } from '../../parts/notice'
import { Cell, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { Gbp } from '../../parts/values/money'
import { codeWords, grouped, monthWords, plural, pounds } from '../../words'
import { InvoiceFiles, InvoiceStatus, overdueDays } from './parts'

export function InvoicePage() {
  const { id } = useParams({ from: '/dashboard/invoices/$id' })
  const query = useQuery(invoiceQuery(id))
  if (query.error instanceof Refusal && query.error.status === 404)
    return (
      <Page title="Invoice not found">
        <Notice action={<ButtonLink to="/dashboard/invoices">All invoices</ButtonLink>}>
          This account has no such invoice.
        </Notice>
      </Page>
    )
  return <Loaded query={query}>{(invoice) => <Shown invoice={invoice} />}</Loaded>
}

interface InvoiceProps {
  readonly invoice: Invoice
}

function Shown({ invoice }: InvoiceProps) {
  return (
    <Page
      tab={`Invoice ${invoice.number}`}
      title={
        <>
          <Link
            to="/dashboard/invoices"
            className="mb-2 flex w-fit items-center gap-1.5 text-sm font-normal tracking-normal text-soft hover:text-ink"
          >
            <ArrowLeft className="size-4" aria-hidden />
            Invoices
          </Link>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="figures text-2xl">{invoice.number}</span>
            <InvoiceStatus invoice={invoice} />
          </span>
        </>
      }
      about={`${pounds(invoice.total_gbp)} for ${monthWords(invoice.period)}`}
      actions={<InvoiceFiles invoice={invoice} />}
    >
      <State invoice={invoice} />
      <div className="grid items-start gap-5 lg:grid-cols-[3fr_2fr]">
        <Lines invoice={invoice} />
        <div className="flex min-w-0 flex-col gap-5">
          {invoice.status === 'open' && <HowToPay invoice={invoice} />}
          <Dates invoice={invoice} />
        </div>
      </div>
      <Charges invoice={invoice} />
    </Page>
  )
}

function State({ invoice }: InvoiceProps) {
  const days = overdueDays(invoice)
  if (days > 0)
    return (
      <Notice tone="warn" title={`${plural(days, 'day')} overdue`}>
        {pounds(invoice.total_gbp)} was due on {invoice.due_at && <Moment at={invoice.due_at} as="day" />}.
      </Notice>
    )
  if (invoice.status !== 'void') return null
  return (
    <Notice title="This invoice is void. Don’t pay it.">
      Reason: {invoice.void_reason}
      {invoice.replaced_by && (
        <p>
          Replaced by <InvoiceLink to={invoice.replaced_by} />
        </p>
      )}
    </Notice>
  )
}

function InvoiceLink({ to: { id, number } }: { readonly to: NonNullable<Invoice['replaces']> }) {
  return (
    <Link to="/dashboard/invoices/$id" params={{ id }} className="underline">
      {number}
    </Link>
  )
}

function HowToPay({ invoice: { number, total_gbp, payment_instructions } }: InvoiceProps) {
  return (
    <Card title="How to pay">
      <Facts>
        <GbpFact name="Amount" of={total_gbp} />
        <Fact name="Reference">
          <Copyable text={number} name="payment reference" />
        </Fact>
        <Fact name="Pay to">
          {payment_instructions.map((line) => (
            <span key={line} className="block">
              {line}
            </span>
          ))}
        </Fact>
      </Facts>
    </Card>
  )
}

function Dates({ invoice }: InvoiceProps) {
  const { replaces, credit_carried_forward_gbp } = invoice
  const dates = [
    ['Issued', invoice.issued_at],
    ['Due', invoice.status === 'void' ? null : invoice.due_at],
    ['Paid', invoice.paid_at],
    ['Voided', invoice.voided_at],
  ] as const
  return (
    <Card title="Details">
      <Facts>
        <Fact name="Period">{monthWords(invoice.period)}</Fact>
        {dates.map(
          ([name, at]) =>
            at && (
              <Fact key={name} name={name}>
                <Moment at={at} as="day" />
              </Fact>
            ),
        )}
        {replaces && (
          <Fact name="Replaces">
            <InvoiceLink to={replaces} />
          </Fact>
        )}
        {/[1-9]/.test(credit_carried_forward_gbp) && (
          <GbpFact name="Credit for the next invoice" of={credit_carried_forward_gbp} />
        )}
      </Facts>
    </Card>
  )
}

function Lines({ invoice }: InvoiceProps) {
  return (
    <Card title="Lines">
      <ul className="divide-y divide-line">
        {invoice.lines.map((line, index) => (
          <Line key={index} amount={signed(line.kind, line.amount_gbp)}>
            {line.description}
            {line.quantity > 1 && (
              <span className="figures text-soft">
                {' '}
                · {grouped(String(line.quantity))} × {pounds(line.unit_amount_gbp)}
              </span>
            )}
          </Line>
        ))}
        <Line amount={invoice.total_gbp}>Total</Line>
      </ul>
    </Card>
  )
}

function Line({ amount, children }: { readonly amount: string; readonly children: ReactNode }) {
  return (
    <li className="flex justify-between gap-6 py-2 first:pt-0 last:pb-0 last:font-semibold">
      <span>{children}</span>
      <Gbp of={amount} />
    </li>
  )
}

/** The API states credits as positive amounts. */
function signed(kind: string, amount: string): string {
  return kind === 'credit' ? `-${amount}` : amount
}

const columns = [
  { head: 'Date', from: 'sm' },
  { head: 'Charge' },
  { head: 'Line', from: 'md' },
  { head: 'Exact amount', align: 'right' },
] as const

function Charges({ invoice: { id } }: InvoiceProps) {
  const charges = useInfiniteQuery(chargesQuery(id))
  return (
    <PagesCard query={charges} title="Charges behind the lines" what="charges">
      {(items) =>
        items.length === 0 ? (
          <Empty title="This invoice has no charges" />
        ) : (
          <Table columns={columns} label="Charges">
            {items.map((charge) => (
              <ChargeRow key={charge.id} charge={charge} />
            ))}
          </Table>
        )
      }
    </PagesCard>
  )
}

const causes: Readonly<Record<Charge['cause'], string>> = {
  payout_completed: 'Completed payout',
  payout_returned: 'Returned payout',
  case_resolved: 'Resolved recall or trace',
  monthly_account: 'Monthly account fee',
  verification: 'Business verification',
  correction: 'Correction',
}

function ChargeRow({ charge }: { readonly charge: Charge }) {
  const { cause, payout_id: id, description } = charge
  return (
    <Row>
      <Cell from="sm" className="text-soft">
        <Moment at={charge.created_at} as="brief" />
      </Cell>
      <Cell>
        {id ? (
          <Link
            to="/dashboard/payouts/$id"
            params={{ id }}
            search={{ environment: 'live' }}
            className="underline decoration-line underline-offset-2 hover:decoration-ink"
          >
            {causes[cause]}
          </Link>
        ) : (
          causes[cause]
        )}
        {description && <span className="block text-xs text-soft">{description}</span>}
        <span className="block text-xs text-soft md:hidden">{codeWords(charge.line_kind)}</span>
      </Cell>
      <Cell from="md">{codeWords(charge.line_kind)}</Cell>
      <Cell align="right">
        <Gbp of={signed(charge.kind, charge.amount_gbp)} />
      </Cell>
    </Row>
  )
}
