// One invoice: its status, how to pay it, its lines, and the charges behind each line.
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
import { Loaded, PagesCard } from '../../parts/loaded'
import { Notice } from '../../parts/notice'
import { Cell, overRow, Row, Table } from '../../parts/table'
import { Moment } from '../../parts/values/moment'
import { Gbp } from '../../parts/values/money'
import { useEnvironment } from '../../shell/here'
import { grouped, monthsWords, pounds, timesExactly } from '../../words'
import { InvoiceFiles, InvoiceStatus, overdueDays } from './parts'
import { texts } from './texts'

const words = texts.invoice

export function InvoicePage() {
  const { id } = useParams({ from: '/dashboard/invoices/$id' })
  const query = useQuery(invoiceQuery(id))
  if (query.error instanceof Refusal && query.error.status === 404)
    return (
      <Page title={words.notFound}>
        <Notice
          action={
            <ButtonLink to="/dashboard/invoices" activeOptions={{ exact: true }}>
              {words.all}
            </ButtonLink>
          }
        >
          {words.notFoundAbout}
        </Notice>
      </Page>
    )
  return <Loaded query={query}>{(invoice) => <Shown invoice={invoice} />}</Loaded>
}

interface InvoiceProps {
  readonly invoice: Invoice
}

function Shown({ invoice }: InvoiceProps) {
  const isSandbox = useEnvironment() === 'sandbox'
  return (
    <Page
      tab={words.tab(invoice.number)}
      title={
        <>
          <Link
            to="/dashboard/invoices"
            activeOptions={{ exact: true }}
            className="mb-2 flex w-fit items-center gap-1.5 text-sm font-normal tracking-normal text-soft hover:text-ink"
          >
            <ArrowLeft className="size-4" aria-hidden />
            {texts.list.title}
          </Link>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="figures text-2xl">{invoice.number}</span>
            <InvoiceStatus invoice={invoice} />
          </span>
        </>
      }
      about={words.about(pounds(invoice.total_gbp), monthsWords(invoice.months))}
      actions={<InvoiceFiles invoice={invoice} />}
    >
      {isSandbox && <Notice>{words.liveOnly}</Notice>}
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
      <Notice tone="warn" title={texts.overdueBy(days)}>
        {words.wasDue(pounds(invoice.total_gbp), invoice.due_at && <Moment at={invoice.due_at} as="day" />)}
      </Notice>
    )
  if (invoice.status !== 'void') return null
  return (
    <Notice title={words.isVoid}>
      {texts.reason(invoice.void_reason)}
      {invoice.replaced_by && (
        <p>
          {texts.replacedBy} <InvoiceLink to={invoice.replaced_by} />
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
    <Card title={words.howToPay.title}>
      <Facts>
        <GbpFact name={words.howToPay.amount} of={total_gbp} />
        <Fact name={words.howToPay.reference}>
          <Copyable text={number} name={words.howToPay.referenceName} />
        </Fact>
        <Fact name={words.howToPay.payTo}>
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
    [texts.dates.issued, invoice.issued_at],
    [texts.dates.due, invoice.status === 'void' ? null : invoice.due_at],
    [texts.dates.paid, invoice.paid_at],
    [texts.dates.voided, invoice.voided_at],
  ] as const
  return (
    <Card title={words.details.title}>
      <Facts>
        <Fact name={words.details.period}>{monthsWords(invoice.months)}</Fact>
        {dates.map(
          ([name, at]) =>
            at && (
              <Fact key={name} name={name}>
                <Moment at={at} as="day" />
              </Fact>
            ),
        )}
        {replaces && (
          <Fact name={words.details.replaces}>
            <InvoiceLink to={replaces} />
          </Fact>
        )}
        {/[1-9]/.test(credit_carried_forward_gbp) && (
          <GbpFact name={words.details.credit} of={credit_carried_forward_gbp} />
        )}
      </Facts>
    </Card>
  )
}

function Lines({ invoice }: InvoiceProps) {
  return (
    <Card title={words.lines.title}>
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
        <Line amount={invoice.total_gbp}>{words.lines.total}</Line>
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

/** The API returns credits as positive amounts. */
function signed(kind: string, amount: string): string {
  return kind === 'credit' ? `-${amount}` : amount
}

const columns = [
  { head: words.charges.date, from: 'sm' },
  { head: words.charges.charge },
  { head: words.charges.exactAmount, align: 'right' },
] as const

/** One card for each line. Credit from an earlier invoice is the last line and has no charges. */
function Charges({ invoice }: InvoiceProps) {
  const carriesIn = /[1-9]/.test(invoice.credit_carried_in_gbp)
  const lines = carriesIn ? invoice.lines.slice(0, -1) : invoice.lines
  return lines.map((line) => <ChargesOf key={line.kind} invoice={invoice} line={line} />)
}

type InvoiceLine = Invoice['lines'][number]

function ChargesOf({ invoice: { id }, line }: InvoiceProps & { readonly line: InvoiceLine }) {
  const { kind, description } = line
  const title = words.charges.title(description)
  const charges = useInfiniteQuery(chargesQuery(id, kind))
  return (
    <PagesCard query={charges} title={title} what={words.charges.more(description)} rows={2}>
      {(items) => (
        <Table columns={columns} label={title}>
          {items.map((charge) => (
            <ChargeRow key={charge.id} charge={charge} />
          ))}
          <SumRow line={line} />
        </Table>
      )}
    </PagesCard>
  )
}

/** The server adds up all charges of a line, including those on pages that are not loaded. Only the sum is rounded. */
function SumRow({ line: { kind, quantity, unit_amount_gbp, amount_gbp } }: { readonly line: InvoiceLine }) {
  const exact = timesExactly(unit_amount_gbp, quantity)
  return (
    <Row>
      <Cell from="sm" />
      <Cell className="font-semibold">{words.charges.sum}</Cell>
      <Cell align="right" className="font-semibold">
        <Gbp of={signed(kind, amount_gbp)} />
        {exact !== amount_gbp && (
          <span className="block text-xs font-normal text-soft">
            {words.charges.roundedFrom} <Gbp of={signed(kind, exact)} />
          </span>
        )}
      </Cell>
    </Row>
  )
}

function ChargeRow({ charge }: { readonly charge: Charge }) {
  const { cause, payout_id: id, description } = charge
  const name = words.charges.causes[cause]
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
            className={`underline decoration-line underline-offset-2 hover:decoration-ink ${overRow}`}
          >
            {name}
          </Link>
        ) : (
          name
        )}
        {description && <span className="block text-xs text-soft">{description}</span>}
      </Cell>
      <Cell align="right">
        <Gbp of={signed(charge.kind, charge.amount_gbp)} />
      </Cell>
    </Row>
  )
}
