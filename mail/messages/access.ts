// Mails admins about a new live key, an invited admin, a changed role, a removed member or a changed address. Contains no secret.

import type { Mail } from '../mailer'
import { type EmailsChanged, emailFacts } from './confirm'
import { htmlOf, type Layout, textOf } from './layout'

export type Happening =
  | { readonly what: 'live_key'; readonly keyPrefix: string; readonly label: string | null }
  | { readonly what: 'admin_invited' | 'made_admin' | 'made_viewer' | 'removed'; readonly email: string }
  | EmailsChanged

interface AccessNotice {
  readonly address: string
  readonly happened: Happening
  /** The email of the actor. */
  readonly by: string
  readonly at: Date
  readonly partner: string
  /** The page where the change can be undone. */
  readonly undoUrl: string
}

/** The subject contains no partner's text, because a business name can be anything. */
export function accessMessage(notice: AccessNotice): Pick<Mail, 'to' | 'subject' | 'text' | 'html'> {
  const layout = layoutOf(notice)
  return {
    to: { name: '', address: notice.address },
    subject: layout.heading,
    text: textOf(layout),
    html: htmlOf(layout),
  }
}

function layoutOf({ address, happened, by, at, partner, undoUrl }: AccessNotice): Layout {
  return {
    preview: 'If you did not expect this, check it now.',
    heading: headingOf(happened, address),
    paragraphs: [
      'If you expected this, you need not do anything. If not, undo it now and ask the person who did it.',
      ...(by === address ? [byYou] : []),
    ],
    facts: [
      ...factsOf(happened),
      ['By', by],
      ['At', momentOf(at)],
      ['Account', partner],
      [happened.what === 'removed' ? 'Team' : 'Undo it at', undoUrl],
    ],
    foot: 'Sent to the admins of the account and to the person it is about. This mail cannot be switched off.',
  }
}

const byYou =
  'It was done in your name. If you did not do it, someone else is signed in as you: sign out everywhere in the settings.'

function headingOf(happened: Happening, address: string): string {
  if (happened.what === 'live_key') return 'A live API key was made'
  if (happened.what === 'admin_invited') return 'An admin was invited'
  if (happened.what === 'emails_changed') return 'Email addresses of the account were changed'
  const isAboutReader = happened.email === address
  if (happened.what === 'removed') return isAboutReader ? 'You were removed from the account' : 'A member was removed'
  if (happened.what === 'made_admin') return isAboutReader ? 'You are an admin now' : 'A member was made an admin'
  return isAboutReader ? 'You are a viewer now' : 'A member was made a viewer'
}

function factsOf(happened: Happening): readonly (readonly [string, string])[] {
  if (happened.what === 'emails_changed') return emailFacts(happened)
  if (happened.what !== 'live_key') return [['Who', happened.email]]
  const { keyPrefix, label } = happened
  return [['Key', `${keyPrefix}…`], ...(label === null ? [] : [['Label', label] as const])]
}

function momentOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
