// The texts of the Settings page.
import type { NotificationKind } from '../../../api/types'

/** Our emails quote these names, so they must be the same as in mail/messages/notice.ts. */
export const switches: readonly (readonly [kind: NotificationKind, name: string, about: string])[] = [
  ['payout_failed', 'Payout failed', 'Includes the reason. The money is refunded automatically.'],
  ['payout_returned', 'Payout returned', 'The recipient’s bank returned the money.'],
  ['top_up', 'Top-up received', 'By bank transfer or in USDC.'],
  ['low_balance', 'Low wallet balance', 'When your balance falls below your alert level.'],
  ['case', 'Recall or trace resolved', 'Includes the outcome.'],
  ['verification', 'Verification updates', 'When the bank makes a decision or needs information.'],
]

export const texts = {
  title: 'Settings',
  readOnly: 'Only admins can change these settings.',
  business: {
    title: 'Business',
    name: 'Business name',
    awaiting: (name: string) => `“${name}” is awaiting our approval.`,
    colour: 'Brand colour',
    colourHint: 'E.g. #0f766e',
    pickColour: 'Pick a brand colour',
    billingEmail: 'Billing email',
    billingEmailHint: 'Where we send your invoices.',
    contactEmail: 'Contact email',
    contactEmailHint: 'Where we and the bank contact you about your account.',
    billingAddress: 'Billing address',
    billingAddressHint: 'Printed on your invoices.',
    save: 'Save',
  },
  logo: {
    label: 'Logo',
    upload: 'Upload logo',
    change: 'Change logo',
    remove: 'Remove',
    about: 'Shown on your sign-in page and in the menu. PNG, JPEG or WebP, up to 40 kB.',
    wrongType: 'Choose a PNG, JPEG or WebP image.',
    tooLarge: (kB: number) => `This image is ${kB} kB. The maximum is 40 kB.`,
  },
  confirm: {
    title: 'Confirm this change',
    email: (name: string, email: string | null) =>
      email === null ? `removing the ${name}` : `changing the ${name} to ${email}`,
  },
  signInPage: { title: 'Your sign-in page', address: 'Address', accountId: 'Account ID' },
  notifications: {
    title: 'Email notifications',
    about: 'Sent to all admins, for live activity only.',
    notSaved: 'Couldn’t save your changes',
    alert: 'Low-balance alert level (USDC)',
    alertHint: 'Leave empty to turn this alert off.',
    alertFault: 'Enter an amount, e.g. 1250.50, or leave it empty.',
    saveAlert: 'Save low-balance alert',
  },
  sessions: {
    title: 'Your sessions',
    signedInAs: 'You’re signed in as',
    lostDevice: 'Sign out of any session that you don’t recognise.',
    unknownDevice: 'Unknown device',
    current: 'This device',
    activeNow: 'Active now',
    signedIn: 'Signed in',
    lastUsed: 'Last used',
    signOutOne: 'Sign out',
    signOutOthers: 'Sign out of other sessions',
    signOut: 'Sign out of all sessions',
    endedOne: 'Signed out of that session',
    endedOthers: 'Signed out of other sessions',
  },
  saved: 'Changes saved',
} as const
