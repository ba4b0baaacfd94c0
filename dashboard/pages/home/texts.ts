// The texts of the Home page.
import type { Environment } from '../../api/types'
import type { PayoutDialog } from '../../shell/here'

const about: Readonly<Record<Environment, string>> = { sandbox: 'Sandbox overview', live: 'Overview' }

/** Only for verification statuses that need attention. */
const verification: Readonly<Record<string, readonly [title: string, sentence: string]>> = {
  action_required: [
    'Action needed on verification',
    'The bank needs more information before you can send live payouts.',
  ],
  rejected: ['Verification was declined', 'See the bank’s reasons. Your sandbox still works.'],
}

interface Action {
  readonly name: string
  /** The accessible name, which starts with the visible one. */
  readonly label: (status: string, recipient: string | null) => string
}

/** `name` matches the button that opens the dialog on the payout's page. */
const actions: Readonly<Record<PayoutDialog | 'view', Action>> = {
  cancel: { name: 'Cancel payout', label: (_, recipient) => `Cancel payout to ${named(recipient)}` },
  trace: { name: 'Request trace', label: (_, recipient) => `Request trace of the payout to ${named(recipient)}` },
  view: { name: 'View', label: (status, recipient) => `View the ${status} payout to ${named(recipient)}` },
}

const named = (recipient: string | null) => recipient ?? 'an unnamed recipient'

export const texts = {
  about,
  notLoaded: 'We couldn’t load your figures or check for payouts that need attention',
  topUp: 'Top up',
  send: 'Send a payout',
  verification: 'Verification',
  figures: {
    balance: 'Wallet balance',
    paid: 'Paid this month',
    payouts: 'Payouts this month',
    completed: (count: string) => `${count} completed`,
    fees: 'Payout fees this month',
    notCharged: 'Not charged in the sandbox',
    nextInvoice: (total: string) =>
      `Part of this is paid from your wallet. Your next invoice so far, including other charges: ${total}`,
  },
  chart: { title: 'Paid to recipients by month', viewUsage: 'View usage' },
  latest: { title: 'Latest payouts', viewAll: 'View all' },
  attention: {
    title: 'Needs attention',
    dismiss: 'Dismiss',
    dismissPayout: (status: string, recipient: string | null) => `Dismiss the ${status} payout to ${named(recipient)}`,
    dismissed: 'Dismissed. It will reappear if it changes and still needs attention.',
    actions,
    all: (status: string) => `All ${status} payouts`,
    failed: 'Failed.',
    returned: 'Returned.',
    late: 'Taking longer than usual.',
    unconfirmed: 'The bank has not confirmed it yet.',
    verification,
  },
  lowBalance: {
    empty: 'Your wallet is empty',
    emptyAbout: 'Top up before sending payouts.',
    low: 'Low wallet balance',
    belowUsual: (pounds: string) =>
      `Your balance is about ${pounds}, less than three times this month’s average payout.`,
    belowAlert: (usdc: string, limit: string) =>
      `Your balance is ${usdc} USDC, below your alert level of ${limit} USDC.`,
  },
  checklist: {
    title: (done: number, all: number) => `Set up your account: ${done} of ${all} done`,
    hide: 'Hide',
    hideLabel: 'Hide the checklist',
    done: '(done)',
    verify: 'Verify your business',
    topUp: 'Top up the wallet',
    invite: 'Invite your team',
    createKey: 'Create an API key',
    firstPayout: 'Send your first payout',
  },
  goLive: {
    title: 'Go live',
    about: 'You can send live payouts once the bank has verified your business. Until then, use the sandbox.',
  },
  firstLivePayout: {
    title: 'Send your first live payout',
    about: 'Your business is verified. Top up your wallet, then send a payout.',
  },
  firstPayout: {
    title: 'Create your first payout with the API',
    keyLabel: 'First steps',
    createKey: 'Create an API key',
    createKeyButton: 'Create sandbox key',
    hasKey: (prefix: string) => `You have a key: ${prefix}…`,
    createAnother: 'Create another key',
    secret: 'Your key is in the command below. Copy it now: you won’t see it again.',
    saved: 'I’ve saved it',
    run: 'Run this in a terminal',
    command: 'Payout with curl',
    copyName: 'command',
    replaceKey: 'Replace the key on the first line with your full key. We only store its first few characters.',
    result: 'See the result',
    resultAbout: 'Your payout appears here automatically. Use an account number ending in 0000 to test a failure.',
    sendInstead: 'Or send one from the dashboard',
  },
} as const
