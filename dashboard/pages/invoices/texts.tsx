// The texts of the Invoices page, the page of a single invoice, and the Fees and usage page.
import type { ReactNode } from 'react'
import type { Account, Charge } from '../../api/types'
import { plural } from '../../words'

const causes: Readonly<Record<Charge['cause'], string>> = {
  payout_completed: 'Completed payout',
  payout_returned: 'Returned payout',
  case_resolved: 'Resolved recall or trace',
  monthly_account: 'Monthly account fee',
  verification: 'Business verification',
  correction: 'Correction',
}

const prices: readonly (readonly [keyof Account['prices'], string])[] = [
  ['payout', 'Per completed payout'],
  ['payout_in_transfer', 'Of which from wallet'],
  ['monthly_account', 'Monthly account fee'],
  ['business_verification', 'Business verification (one-off)'],
  ['network_fees', 'Network fees'],
  ['bank_exceptions', 'Returns, recalls and traces'],
]

export const texts = {
  list: {
    title: 'Invoices',
    about: 'Issued on the 1st for the previous month’s live usage. Payment is due within 14 days.',
    aboutSandbox: 'Sandbox usage is never invoiced.',
    noneYet: 'No invoices yet',
    firstArrives: 'Your first invoice arrives on the 1st of the month after you go live.',
    viewThisMonth: 'View this month',
    due: (sum: string) => `${sum} due`,
    open: (count: number) => `${plural(count, 'open invoice')}.`,
    overdue: (sum: string) => `${sum} is overdue.`,
    howToPay: 'Open an invoice for payment instructions.',
  },
  overdueBy: (days: number) => `${plural(days, 'day')} overdue`,
  reason: (reason: string | null) => `Reason: ${reason}`,
  replacedBy: 'Replaced by',
  dates: { issued: 'Issued', due: 'Due', paid: 'Paid', voided: 'Voided' },
  files: {
    pdf: 'PDF',
    csv: 'CSV',
    charges: 'Charges',
    pdfOf: (number: string) => `${number} as PDF`,
    csvOf: (number: string) => `${number} as CSV`,
    chargesOf: (number: string) => `Charges on ${number} as CSV`,
  },
  invoice: {
    notFound: 'Invoice not found',
    notFoundAbout: 'This link doesn’t match any invoice in your account.',
    all: 'All invoices',
    tab: (number: string) => `Invoice ${number}`,
    about: (total: string, month: string) => `${total} for ${month}`,
    wasDue: (total: string, day: ReactNode) => (
      <>
        {total} was due on {day}.
      </>
    ),
    liveOnly: 'This invoice covers live usage. Sandbox usage is never invoiced.',
    isVoid: 'This invoice is void. Don’t pay it.',
    howToPay: {
      title: 'How to pay',
      amount: 'Amount',
      reference: 'Reference',
      referenceName: 'payment reference',
      payTo: 'Pay to',
    },
    details: {
      title: 'Details',
      period: 'Period',
      replaces: 'Replaces',
      credit: 'Credit for the next invoice',
    },
    lines: { title: 'Line items', total: 'Total' },
    charges: {
      title: (line: string) => `Charges: ${line}`,
      more: (line: string) => `charges: ${line}`,
      date: 'Date',
      charge: 'Charge',
      exactAmount: 'Exact amount',
      sum: 'Sum of all charges',
      roundedFrom: 'rounded from',
      causes,
    },
  },
  usage: {
    title: 'Fees and usage',
    aboutSandbox: 'Sandbox fees are shown for reference and never charged.',
    chart: 'Paid to recipients by month',
    thisMonth: {
      title: 'This month so far',
      created: 'Payouts created',
      completed: 'Completed',
      paid: 'Paid to recipients',
      fees: 'Payout fees (total)',
    },
    invoiceSoFar: {
      title: 'Next invoice so far',
      sandbox: 'Sandbox usage is never invoiced.',
      issuedOn: (day: string) => `Issued on ${day}.`,
      payoutFees: 'Payout fees (invoiced)',
      total: 'Total',
      about:
        'Part of each payout fee is paid from your wallet with the payout. The invoice covers the rest and any other charges.',
    },
    prices: {
      title: 'Your prices',
      rows: prices,
      unpaid: 'Failed and cancelled payouts',
      free: 'Free',
    },
    months: {
      title: 'Monthly breakdown',
      label: 'Usage by month',
      month: 'Month',
      payouts: 'Payouts',
      completed: 'Completed',
      fees: 'Fees',
      paid: 'Paid to recipients',
    },
  },
} as const
