// The texts of the Verification page.
import type { BusinessVerification } from '../../../api/types'

const next: Readonly<Record<BusinessVerification['status'], string>> = {
  not_started: 'Takes about 10 minutes. You’ll need your company number and the owners’ details.',
  pending: 'You haven’t finished yet. Continue where you left off.',
  action_required: 'The bank needs more information. Continue to see what’s missing.',
  in_review: 'The bank is reviewing your details. This takes one or two working days. There’s nothing you need to do.',
  approved: 'Your business is verified. You can now create live keys and send live payouts.',
  rejected: 'The bank declined your application. Your sandbox still works.',
}

export const texts = {
  title: 'Verification',
  about: 'Your business must be verified before you can send live payouts. The bank runs the checks.',
  status: {
    title: 'Business verification',
    next,
    paused: 'The bank has paused your account for a check. You can’t send live payouts until the check is done.',
    termsLeft: 'The bank is reviewing your details. Please accept its terms in the meantime.',
    onlyTermsLeft: 'The bank has approved your business. Accept its terms to finish.',
    openingWallet: 'The bank has approved your business. We’re opening your live wallet.',
    connecting: 'Connecting to the bank. The next steps will appear here in a moment.',
    simulated: 'Simulated bank',
    simulatedAbout: 'You choose the outcome on the bank’s page. There are no real checks, and no money moves.',
    bankStatus: 'Bank status',
    screening: 'Bank screening',
    reasons: 'Reasons given by the bank',
    earlierReasons: 'Reasons given by the bank last time',
  },
  steps: {
    label: 'Verification steps',
    names: ['Business details', 'Bank terms', 'Bank review', 'Live wallet'],
    states: { done: 'Done', yours: 'Action needed', theirs: 'In progress', later: 'Not started' },
  },
  actions: {
    start: 'Start verification',
    startAgain: 'Try again',
    alreadyStarted: 'Verification has already started. This page shows its progress.',
    continue: 'Continue with the bank',
    terms: 'Read and accept the bank’s terms',
    adminsOnly: 'An admin on your team needs to complete this.',
    noReapply: 'You can’t apply again.',
    contact: 'Contact support',
    topUp: 'Top up live wallet',
    createKey: 'Create live key',
  },
  limits: {
    title: 'Live account limits',
    minimum: 'Minimum payout',
    maximum: 'Maximum payout',
    countries: 'Countries',
    noCountries: 'None',
    wallet: 'Wallet',
    dedicated: 'Open',
    notOpened: 'Not opened yet',
    network: 'Network',
  },
} as const
