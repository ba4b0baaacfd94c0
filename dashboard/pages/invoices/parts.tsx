// The parts of an invoice that the list and the invoice page share: status, date and files.
import { pathTo } from '../../api/call'
import type { Invoice } from '../../api/types'
import { now } from '../../now'
import { DownloadButton } from '../../parts/download'
import { Moment } from '../../parts/values/moment'
import { Status } from '../../parts/values/status'
import { daysOverdue } from '../../words'
import { texts } from './texts'

interface InvoiceProps {
  readonly invoice: Invoice
}

/** Whole days past the due date of an open invoice, or 0. */
export function overdueDays({ status, due_at }: Invoice): number {
  return status === 'open' && due_at !== null ? daysOverdue(due_at, now()) : 0
}

export function InvoiceStatus({ invoice }: InvoiceProps) {
  return <Status of={overdueDays(invoice) > 0 ? 'overdue' : invoice.status} />
}

/** Shows how long an invoice is overdue, or the date that matches its status. */
export function InvoiceDate({ invoice }: InvoiceProps) {
  const days = overdueDays(invoice)
  if (days > 0) return <span className="text-bad">{texts.overdueBy(days)}</span>
  const [word, at] = dateOf(invoice)
  return (
    at && (
      <>
        {word} <Moment at={at} as="day" />
      </>
    )
  )
}

function dateOf(invoice: Invoice): readonly [string, string | null] {
  switch (invoice.status) {
    case 'draft':
    case 'open':
      return [texts.dates.due, invoice.due_at]
    case 'paid':
      return [texts.dates.paid, invoice.paid_at]
    case 'void':
      return [texts.dates.voided, invoice.voided_at]
  }
}

export function InvoiceFiles({ invoice: { id, number } }: InvoiceProps) {
  return (
    <>
      <DownloadButton path={pathTo`/v1/invoices/${id}.pdf`} type={texts.files.pdf} label={texts.files.pdfOf(number)} />
      <DownloadButton path={pathTo`/v1/invoices/${id}.csv`} type={texts.files.csv} label={texts.files.csvOf(number)} />
      <DownloadButton
        path={pathTo`/v1/invoices/${id}/charges.csv`}
        type={texts.files.charges}
        label={texts.files.chargesOf(number)}
      />
    </>
  )
}
