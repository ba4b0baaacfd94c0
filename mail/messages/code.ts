// Mails with sign-in codes, and invitations. The code is in the subject, so that it shows on a lock screen.
import type { VerificationStatus } from '../../domain/partners/partner'
import type { Mail } from '../mailer'
import { htmlOf, type Layout, textOf } from './layout'

export type Message = Pick<Mail, 'to' | 'subject' | 'text' | 'html'>

export function signInMessage({ address, code }: { address: string; code: string }): Message {
  return messageOf(address, `${code} is your sign-in code`, {
    preview: 'Enter it on the sign-in page within 10 minutes.',
    heading: 'Sign in',
    paragraphs: [
      'Enter this code on the sign-in page. It works once, within 10 minutes, in the browser that requested it.',
      notYou,
    ],
    facts: [['Code', code]],
    foot: whyCode,
  })
}

/** Does not contain the business name: anyone can have typed it, and the address may belong to another person. */
export function signUpMessage({ address, code }: { address: string; code: string }): Message {
  return messageOf(address, `${code} is your code to open an account`, {
    preview: 'Enter it on the sign-up page within 10 minutes.',
    heading: 'Open your account',
    paragraphs: [
      'Enter this code on the sign-up page. It works once, within 10 minutes, in the browser that requested it.',
      notYou,
    ],
    facts: [['Code', code]],
    foot: whyCode,
  })
}

interface Invitation {
  readonly address: string
  readonly name: string | null
  /** The inviter's email, verified by a code. */
  readonly by: string
  readonly partner: { readonly name: string; readonly slug: string; readonly verificationStatus: VerificationStatus }
  readonly role: string
  readonly publicUrl: string
}

export function invitationMessage(invited: Invitation): Message {
  return invited.partner.verificationStatus === 'approved' ? invitationOfKnown(invited) : invitationOfUnknown(invited)
}

function invitationOfKnown({ address, name, by, partner, role, publicUrl }: Invitation): Message {
  return messageOf(address, `You can now sign in to ${partner.name}`, {
    preview: `${by} has added you to ${partner.name}.`,
    heading: `Welcome to ${partner.name}`,
    paragraphs: [
      name === null ? 'Hello,' : `Hello ${name},`,
      `${by} has added you to the payouts account of ${partner.name}. ${howToSignIn}`,
    ],
    facts: [
      ['Sign in at', `${publicUrl}/p/${partner.slug}`],
      ['Your role', role],
    ],
    foot: whyInvited,
  })
}

/**
 * Anyone can sign up under any name and invite any address. So the mail contains none of the inviter's text, neither a name nor the slug
 * derived from it, only their verified email, so that the recipient can recognise them.
 */
function invitationOfUnknown({ address, by, role, publicUrl }: Invitation): Message {
  return messageOf(address, 'You are invited to Payouts', {
    preview: 'You were added to an account.',
    heading: 'You are invited',
    paragraphs: ['Hello,', `You were added to a payouts account. ${howToSignIn}`],
    facts: [
      ['Invited by', by],
      ['Sign in at', `${publicUrl}/sign-in`],
      ['Your role', role],
    ],
    foot: whyInvited,
  })
}

const howToSignIn = 'Sign in with this email address. There is no password: we email you a code.'
const whyInvited = 'If you do not know who invites you, ignore this mail: nothing happens unless you sign in.'

const notYou = 'If you did not request it, ignore this mail. Never share the code: we never ask for it.'
const whyCode = 'Sent because this email address was entered on our sign-in page.'

function messageOf(address: string, subject: string, layout: Layout): Message {
  return { to: { name: '', address }, subject, text: textOf(layout), html: htmlOf(layout) }
}
