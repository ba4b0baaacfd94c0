// The texts of the Payouts and Recipients pages.
import type { PayoutSort } from '../../api/queries'
import { plural } from '../../words'

const sorts: Readonly<Record<PayoutSort, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  largest: 'Largest first',
  smallest: 'Smallest first',
}

export const texts = {
  list: {
    title: 'Payouts',
    exportCsv: 'Export CSV',
    send: 'Send a payout',
    what: 'payouts',
    noMatchesAbout: 'Search by reference, recipient name, last 4 digits of the account number, or payout ID.',
    totals: 'Totals',
    count: (count: number) => plural(count, 'payout'),
    noTotals: 'Totals aren’t available. Narrow the filters and try again.',
    noneYet: 'No payouts yet',
    noneYetAbout: 'Payouts you create here or through the API appear here and update automatically.',
    sendFirst: 'Send your first payout',
    guide: 'Read the API guide',
  },
  filters: {
    search: 'Search',
    searchHint: 'Reference, name, last 4 digits or ID',
    min: 'Min amount',
    max: 'Max amount',
    status: 'Status',
    sort: 'Sort',
    sorts,
    createdBy: 'Created by',
    anyone: 'Anyone',
    team: 'Team',
    keys: 'API keys',
    revokedKey: (name: string) => `${name} (revoked)`,
  },
  table: {
    label: 'Payouts',
    recipient: 'Recipient',
    reference: 'Reference',
    status: 'Status',
    created: 'Created',
    debited: 'Debited',
    amount: 'Amount',
    unnamed: 'Unnamed',
  },
  recipients: {
    title: 'Recipients',
    about: 'Everyone you’ve paid in the last 12 months, by account. Full account numbers are never shown.',
    what: 'recipients',
    search: 'Search',
    searchHint: 'Name or last 4 digits',
    columns: { recipient: 'Recipient', lastPaid: 'Last paid', payouts: 'Payouts', totalPaid: 'Total paid' },
    unnamed: 'Unnamed',
    lastPaidOnPhone: 'last paid',
    payouts: (count: number) => plural(count, 'payout'),
    noneYet: 'No recipients yet',
    noneYetAbout: 'Recipients appear here after their first payout.',
    send: 'Send a payout',
  },
} as const
