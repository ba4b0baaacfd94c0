// The mails of signing in: a code, with the code in the subject so that a glance at a locked screen is enough; and an invitation.
import type { VerificationStatus } from '../domain/partner'
import { htmlOf, type Layout, textOf } from './layout'
import type { Mail } from './mailer'

export type Message = Pick<Mail, 'to' | 'subject' | 'text' | 'html'>

export function signInMessage({ address, code }: { address: string; code: string }): Message {
  return messageOf(address, `${code} is your sign-in code`, {
    preview: 'Enter it on the sign-in page within 10 minutes.',
    heading: 'Sign in',
    paragraphs: ['Enter this code on the sign-in page. It works once, within 10 minutes.', notYou],
    facts: [['Code', code]],
    foot: whyCode,
  })
}

/** What the business is called is not said here: anybody can have typed it, and this address need not be theirs. */
export function signUpMessage({ address, code }: { address: string; code: string }): Message {
  return messageOf(address, `${code} is your code to open an account`, {
    preview: 'Enter it on the sign-up page within 10 minutes.',
    heading: 'Open your account',
    paragraphs: ['Enter this code on the sign-up page. It works once, within 10 minutes.', notYou],
    facts: [['Code', code]],
    foot: whyCode,
  })
}

export function invitationMessage(invited: {
  address: string
  name: string | null
  by: string
  partner: string
  verification: VerificationStatus
  role: string
  signInUrl: string
}): Message {
  const { address, name, by, partner, verification, role, signInUrl } = invited
  // Anybody can sign up under any name: what an inbox shows of an unopened mail is not theirs to write.
  const isKnown = verification === 'approved'
  return messageOf(address, isKnown ? `You can now sign in to ${partner}` : 'You are invited to Payouts', {
    preview: isKnown ? `${by} has added you to ${partner}.` : 'Somebody has added you to their account.',
    heading: `Welcome to ${partner}`,
    paragraphs: [
      name === null ? 'Hello,' : `Hello ${name},`,
      `${by} has added you to the payouts account of ${partner}. Sign in with this email address: there is no password, a code is emailed to you.`,
    ],
    facts: [
      ['Sign in at', signInUrl],
      ['Your role', role],
    ],
    foot: 'If you do not know this business, ignore this mail: nothing happens unless you sign in.',
  })
}

const notYou = 'If you did not ask for it, ignore this mail, and give the code to nobody: we never ask for it.'
const whyCode = 'Sent because somebody entered this email address on our sign-in page.'

function messageOf(address: string, subject: string, layout: Layout): Message {
  return { to: { name: '', address }, subject, text: textOf(layout), html: htmlOf(layout) }
}
