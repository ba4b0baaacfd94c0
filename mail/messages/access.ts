// Mails to admins about a new live key, an invited admin, a changed role, a removed member or a changed address. They
// contain no secret.

import type { Mail } from '../mailer'
import { type EmailsChanged, emailFacts } from './confirm'
import { htmlOf, type Layout, textOf } from './layout'

export type AccessChange =
  | { readonly what: 'live_key'; readonly keyPrefix: string; readonly label: string | null }
  | { readonly what: 'admin_invited' | 'made_admin' | 'made_viewer' | 'removed'; readonly email: string }
  | EmailsChanged

interface AccessNotice {
  readonly address: string
  readonly happened: AccessChange
  /** The email address of the person who made the change. */
  readonly by: string
  readonly at: Date
  readonly partner: string
  /** The page where the change can be undone. */
  readonly undoUrl: string
}

/** The subject contains no text from the partner, because a business name can be anything. */
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
  // A removed person cannot open the page.
  const canUndo = happened.what !== 'removed' || happened.email !== address
  return {
    preview: 'If you didn’t expect this, check it now.',
    heading: headingOf(happened, address),
    paragraphs: [
      'If you expected this, there’s nothing to do. If not, undo it now and check with your team.',
      ...(by === address ? [byYou] : []),
    ],
    facts: [...factsOf(happened), ['By', by], ['Time', momentOf(at)], ['Business', partner]],
    actions: canUndo ? [{ label: `Review ${pages[happened.what] ?? 'team'}`, url: undoUrl }] : [],
    foot: 'Sent to all admins and to the person concerned. You can’t turn off security emails.',
  }
}

const byYou =
  'It was done with your login. If it wasn’t you, someone else is signed in as you: sign out of all sessions in Settings.'

const pages: Partial<Record<AccessChange['what'], string>> = { live_key: 'API keys', emails_changed: 'settings' }

function headingOf(happened: AccessChange, address: string): string {
  if (happened.what === 'live_key') return 'A live API key was created'
  if (happened.what === 'admin_invited') return 'An admin was invited'
  if (happened.what === 'emails_changed') return 'Your account’s email addresses were changed'
  const isAboutReader = happened.email === address
  if (happened.what === 'removed')
    return isAboutReader ? 'You were removed from the account' : 'A team member was removed'
  return `${isAboutReader ? 'You’re' : 'A team member is'} now ${happened.what === 'made_admin' ? 'an admin' : 'a viewer'}`
}

function factsOf(happened: AccessChange): readonly (readonly [string, string])[] {
  if (happened.what === 'emails_changed') return emailFacts(happened)
  if (happened.what !== 'live_key') return [['Team member', happened.email]]
  const { keyPrefix, label } = happened
  return [['Key', `${keyPrefix}…`], ...(label === null ? [] : [['Label', label] as const])]
}

function momentOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
