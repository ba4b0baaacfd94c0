// The Invoices page: the amount due, and a link to each invoice.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { invoicesQuery } from '../../api/queries'
import type { Invoice } from '../../api/types'
import { Card, Page } from '../../parts/card'
import { ButtonLink } from '../../parts/forms/button'
import { Bars, Empty, Loaded } from '../../parts/loaded'
import { Notice } from '../../parts/notice'
import { aboveRow, overRow } from '../../parts/table'
import { Gbp } from '../../parts/values/money'
import { useEnvironment } from '../../shell/here'
import { monthsWords, pounds, sumOf } from '../../words'
import { InvoiceDate, InvoiceFiles, InvoiceStatus, overdueDays } from './parts'
import { texts } from './texts'

const words = texts.list

export function InvoicesPage() {
  const query = useQuery(invoicesQuery)
  const isSandbox = useEnvironment() === 'sandbox'
  return (
    <Page title={words.title} about={isSandbox ? `${words.about} ${words.aboutSandbox}` : words.about}>
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
              <Empty
                title={words.noneYet}
                action={<ButtonLink to="/dashboard/usage">{words.viewThisMonth}</ButtonLink>}
              >
                {words.firstArrives}
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
    <Notice tone={overdue.length > 0 ? 'warn' : 'info'} title={words.due(sum(open))}>
      {words.open(open.length)} {overdue.length > 0 && words.overdue(sum(overdue))} {words.howToPay}
    </Notice>
  )
}

function InvoiceCard({ invoice }: { readonly invoice: Invoice }) {
  return (
    <Card flush>
      <div className="relative flex flex-wrap items-center gap-x-6 gap-y-3 rounded-xl px-5 py-4 hover:bg-sunken/60">
        <div className="min-w-40 flex-1">
          <Link to="/dashboard/invoices/$id" params={{ id: invoice.id }} className={`font-semibold ${overRow}`}>
            {monthsWords(invoice.months)}
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
        <div className={`flex gap-2 ${aboveRow}`}>
          <InvoiceFiles invoice={invoice} />
        </div>
        {invoice.status === 'void' && (
          <p className="w-full text-xs text-soft">
            {texts.reason(invoice.void_reason)}
            {invoice.replaced_by && (
              <>
                {` · ${texts.replacedBy} `}
                <Link
                  to="/dashboard/invoices/$id"
                  params={{ id: invoice.replaced_by.id }}
                  className={`underline hover:text-ink ${aboveRow}`}
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
