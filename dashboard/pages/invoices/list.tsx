// The invoices: what is due, and a link to each invoice.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { invoicesQuery } from '../../api/queries'
import type { Invoice } from '../../api/types'
import { Card, Page } from '../../parts/card'
import { ButtonLink } from '../../parts/forms/button'
import { Bars, Empty, Loaded } from '../../parts/loaded'
import { Notice } from '../../parts/notice'
import { Gbp } from '../../parts/values/money'
import { useEnvironment } from '../../shell/here'
import { monthWords, plural, pounds, sumOf } from '../../words'
import { InvoiceDate, InvoiceFiles, InvoiceStatus, overdueDays } from './parts'

export function InvoicesPage() {
  const query = useQuery(invoicesQuery)
  const isSandbox = useEnvironment() === 'sandbox'
  return (
    <Page
      title="Invoices"
      about={`Issued on the 1st for the previous month’s live usage. Due in 14 days.${isSandbox ? ' The sandbox is never invoiced.' : ''}`}
    >
      <Loaded
        query={query}
        skeleton={
          <Card flush>
            <Bars />
          </Card>
        }
      >
        {({ data }) =>
          data.length === 0 ? (
            <Card flush>
              <Empty title="No invoices yet" action={<ButtonLink to="/dashboard/usage">View this month</ButtonLink>}>
                Your first invoice arrives on the 1st of the month after you go live.
              </Empty>
            </Card>
          ) : (
            <>
              <AmountDue invoices={data} />
              <ul className="flex flex-col gap-3">
                {data.map((invoice) => (
                  <li key={invoice.id}>
                    <InvoiceCard invoice={invoice} />
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function AmountDue({ invoices }: { readonly invoices: readonly Invoice[] }) {
  const open = invoices.filter(({ status }) => status === 'open')
  const overdue = open.filter((invoice) => overdueDays(invoice) > 0)
  if (open.length === 0) return null
  const sum = (some: readonly Invoice[]) => pounds(sumOf(some.map(({ total_gbp }) => total_gbp)))
  return (
    <Notice tone={overdue.length > 0 ? 'warn' : 'info'} title={`${sum(open)} due`}>
      {plural(open.length, 'open invoice')}.{overdue.length > 0 && ` ${sum(overdue)} is overdue.`} Open an invoice for
      payment instructions.
    </Notice>
  )
}

function InvoiceCard({ invoice }: { readonly invoice: Invoice }) {
  return (
    <Card flush>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3 px-5 py-4">
        <div className="min-w-40 flex-1">
          <Link to="/dashboard/invoices/$id" params={{ id: invoice.id }} className="font-semibold hover:underline">
            {monthWords(invoice.period)}
            <span className="block text-xs font-normal text-soft">{invoice.number}</span>
          </Link>
        </div>
        <div className="text-right text-xs text-soft sm:w-40 sm:text-left">
          <InvoiceStatus invoice={invoice} />
          <p className="mt-1">
            <InvoiceDate invoice={invoice} />
          </p>
        </div>
        <p className="mr-auto text-base font-semibold sm:mr-0 sm:w-28 sm:text-right">
          <Gbp of={invoice.total_gbp} />
        </p>
        <div className="flex gap-2">
          <InvoiceFiles invoice={invoice} />
        </div>
        {invoice.status === 'void' && (
          <p className="w-full text-xs text-soft">
            Reason: {invoice.void_reason}
            {invoice.replaced_by && (
              <>
                {' · '}Replaced by{' '}
                <Link
                  to="/dashboard/invoices/$id"
                  params={{ id: invoice.replaced_by.id }}
                  className="underline hover:text-ink"
                >
                  {invoice.replaced_by.number}
                </Link>
              </>
            )}
          </p>
        )}
      </div>
    </Card>
  )
}
