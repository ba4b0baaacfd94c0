// The texts of the Audit log page.
import type { ActivityKind } from '../../api/queries'

const requests = 'API requests and dashboard actions, sandbox and live, newest first. Request bodies aren’t stored.'

const about: Readonly<Record<ActivityKind, string>> = {
  everything: requests,
  changes: requests,
  security:
    'Sign-ins, confirmation codes, and changes to keys, members, roles, contact emails and account status, newest first. We keep these permanently.',
}

const shows: Readonly<Record<ActivityKind, string>> = {
  everything: 'Everything',
  changes: 'Changes only',
  security: 'Security',
}

export const texts = {
  title: 'Audit log',
  about,
  exportCsv: 'Export CSV',
  filter: 'Filter',
  filterHint: 'Action, error, payout, actor or ID',
  show: 'Show',
  shows,
  what: 'entries',
  noneYet: 'No activity yet',
  columns: {
    time: 'Time',
    action: 'Action',
    actor: 'Actor',
    environment: 'Environment',
    status: 'Status',
    requestId: 'Request ID',
  },
  requestIdName: 'request ID',
  payout: (amount: string, recipient: string | null) => `${amount} to ${recipient ?? 'an unnamed recipient'}`,
  entry: {
    title: 'Audit log entry',
    about: 'You can share a link to this entry with your team.',
    all: 'All entries',
    notFound: 'Entry not found',
  },
} as const
