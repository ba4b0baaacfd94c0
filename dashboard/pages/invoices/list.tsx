// The monthly invoices with their lines and files.
import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { pathTo } from '../../api/call'
import { invoicesQuery } from '../../api/queries'
import type { Invoice } from '../../api/types'
import { Card, Page } from '../../parts/card'
import { DownloadButton } from '../../parts/download'
import { ButtonLink } from '../../parts/forms/button'
import { Bars, Empty, Loaded } from '../../parts/loaded'
import { Moment } from '../../parts/values/moment'
import { Gbp } from '../../parts/values/money'
import { Status } from '../../parts/values/status'
import { grouped, monthWords, pounds } from '../../words'

export function InvoicesPage() {
  const query = useQuery(invoicesQuery)
  return (
    <Page title="Invoices" about="Issued on the 1st for the previous month’s live usage. Due in 14 days.">
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
            <ul className="flex flex-col gap-3">
              {data.map((invoice) => (
                <li key={invoice.id}>
                  <InvoiceCard invoice={invoice} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  )
}

function InvoiceCard({ invoice }: { readonly invoice: Invoice }) {
  return (
    <Card flush>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3 px-5 py-4">
        <div className="min-w-40 flex-1">
          <p className="font-semibold">{monthWords(invoice.period)}</p>
          <p className="text-xs text-soft">{invoice.number}</p>
        </div>
        <div className="text-right text-xs text-soft sm:w-36 sm:text-left">
          <Status of={invoice.status} />
          <p className="mt-1">
            {invoice.due_at && invoice.status === 'open' && (
              <>
                due <Moment at={invoice.due_at} as="day" />
              </>
            )}
          </p>
        </div>
        <p className="mr-auto text-base font-semibold sm:mr-0 sm:w-28 sm:text-right">
          <Gbp of={invoice.total_gbp} />
        </p>
        <div className="flex gap-2">
          <DownloadButton path={pathTo`/v1/invoices/${invoice.id}.pdf`} type="PDF" label={`${invoice.number} as PDF`} />
          <DownloadButton path={pathTo`/v1/invoices/${invoice.id}.csv`} type="CSV" label={`${invoice.number} as CSV`} />
          <DownloadButton
            path={pathTo`/v1/invoices/${invoice.id}/charges.csv`}
            type="Charges"
            label={`Charges of ${invoice.number} as CSV`}
          />
        </div>
      </div>
      <details className="group border-t border-line">
        <summary className="flex list-none items-center gap-1.5 px-5 py-2 text-xs text-soft hover:text-ink">
          <ChevronRight className="size-3.5 transition-transform group-open:rotate-90" aria-hidden />
          Line items
        </summary>
        <Lines invoice={invoice} />
      </details>
    </Card>
  )
}

function Lines({ invoice }: { readonly invoice: Invoice }) {
  return (
    <ul className="divide-y divide-line px-5 pb-3">
      {invoice.lines.map((line, index) => (
        <li key={index} className="flex justify-between gap-6 py-2">
          <span>
            {line.description}
            {line.quantity > 1 && (
              <span className="figures text-soft">
                {' '}
                · {grouped(String(line.quantity))} × {pounds(line.unit_amount_gbp)}
              </span>
            )}
          </span>
          <Gbp of={line.kind === 'credit' ? `-${line.amount_gbp}` : line.amount_gbp} />
        </li>
      ))}
    </ul>
  )
}
