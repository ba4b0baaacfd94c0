// Emails with sign-in codes, and invitations. The code is in the subject, so that a lock screen shows it.
import type { VerificationStatus } from '../../domain/partners/partner'
import type { Mail } from '../mailer'
import { htmlOf, type Layout, type Link, textOf } from './layout'

export type Message = Pick<Mail, 'to' | 'subject' | 'text' | 'html'>

export function signInMessage(mailed: { address: string; code: string }): Message {
  return codeMessage(mailed, 'sign-in')
}

/**
 * Does not contain the business name, because anyone can type any name, and the address may belong to another person.
 */
export function signUpMessage(mailed: { address: string; code: string }): Message {
  return codeMessage(mailed, 'sign-up')
}

function codeMessage({ address, code }: { address: string; code: string }, page: 'sign-in' | 'sign-up'): Message {
  return messageOf(address, `${code} is your ${page} code`, {
    preview: 'It expires in 10 minutes and can be used once.',
    heading: `Your ${page} code`,
    code,
    paragraphs: [
      'Enter this code in the browser where you requested it. It expires in 10 minutes and can be used once.',
      'Didn’t request this? Ignore this email and don’t share the code. We’ll never ask you for it.',
    ],
    foot: `Sent because someone entered this email address on our ${page} page.`,
  })
}

interface Invitation {
  readonly address: string
  readonly name: string | null
  /** The inviter's email address, which a code has verified. */
  readonly by: string
  readonly partner: { readonly name: string; readonly slug: string; readonly verificationStatus: VerificationStatus }
  readonly role: string
  /** Lets the sign-in page explain a withdrawn invitation. It grants no rights. */
  readonly memberId: string
  readonly publicUrl: string
}

export function invitationMessage(invited: Invitation): Message {
  return invited.partner.verificationStatus === 'approved' ? invitationOfKnown(invited) : invitationOfUnknown(invited)
}

function invitationOfKnown({ address, name, by, partner, role, memberId, publicUrl }: Invitation): Message {
  return messageOf(address, `${by} invited you to ${partner.name}`, {
    preview: howToSignIn,
    heading: `Join ${partner.name}`,
    paragraphs: [
      name === null ? 'Hello,' : `Hello ${name},`,
      `${by} invited you to the payouts account of ${partner.name}. ${howToSignIn}`,
    ],
    facts: [['Your role', role === 'admin' ? 'Admin' : 'Viewer']],
    actions: [accept(`${publicUrl}/p/${partner.slug}`, memberId)],
    foot: notRecognised,
  })
}

/**
 * Anyone can sign up under any name and invite any address. So the email contains no text from the inviter, neither a
 * name nor the slug derived from it. It contains only their verified email address, so that the recipient can
 * recognise them.
 */
function invitationOfUnknown({ address, by, role, memberId, publicUrl }: Invitation): Message {
  return messageOf(address, 'You’re invited to Payouts', {
    preview: howToSignIn,
    heading: 'You’re invited',
    paragraphs: ['Hello,', `You’ve been invited to join a payouts account. ${howToSignIn}`],
    facts: [
      ['Invited by', by],
      ['Your role', role === 'admin' ? 'Admin' : 'Viewer'],
    ],
    actions: [accept(`${publicUrl}/sign-in`, memberId)],
    foot: notRecognised,
  })
}

const accept = (page: string, memberId: string): Link => ({
  label: 'Accept invitation',
  url: `${page}?invitation=${memberId}`,
})
const howToSignIn = 'Sign in with this email address. There’s no password: we’ll email you a code.'
const notRecognised = 'Don’t recognise this? You can ignore it. Nothing happens unless you sign in.'

function messageOf(address: string, subject: string, layout: Layout): Message {
  return { to: { name: '', address }, subject, text: textOf(layout), html: htmlOf(layout) }
}
