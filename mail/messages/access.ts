// Emails to admins about a new live key, an invited admin, a changed role, a removed member or a changed address. They
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

/** The subject contains no text from the partner, because a business name can be any text. */
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
  const isAboutReader = 'email' in happened && happened.email === address
  // A removed person cannot open the page, and a viewer cannot change anything there.
  const canOpen = !(isAboutReader && happened.what === 'removed')
  const canUndo = canOpen && !(isAboutReader && happened.what === 'made_viewer')
  return {
    preview: 'If you didn’t expect this, check it now.',
    heading: headingOf({ happened, by, address }),
    paragraphs: [
      `If you expected this, there’s nothing to do. If not, ${canUndo ? 'undo it now and check with' : 'contact an admin on'} your team.`,
      ...(by === address ? [byYou] : []),
    ],
    facts: [...factsOf(happened), ['By', by], ['Time', momentOf(at)], ['Business', partner]],
    actions: canOpen ? [{ label: `Review ${pages[happened.what] ?? 'team'}`, url: undoUrl }] : [],
    foot: `Sent to ${recipientsOf(happened)}. You can’t turn off security emails.`,
  }
}

function recipientsOf({ what }: AccessChange): string {
  if (what === 'made_viewer') return 'the people involved'
  return what === 'made_admin' || what === 'removed' ? 'all admins and the person affected' : 'all admins'
}

const byYou = 'This was done by someone signed in as you. If it wasn’t you, sign out of all sessions in Settings.'

const pages: Partial<Record<AccessChange['what'], string>> = { live_key: 'API keys', emails_changed: 'settings' }

function headingOf({ happened, by, address }: Pick<AccessNotice, 'happened' | 'by' | 'address'>): string {
  if (happened.what === 'live_key') return 'A live API key was created'
  if (happened.what === 'admin_invited') return 'An admin was invited'
  if (happened.what === 'emails_changed') return 'Your billing or contact email was changed'
  const isAboutReader = happened.email === address
  if (happened.what === 'removed' && happened.email === by)
    return isAboutReader ? 'You left the account' : 'A team member left'
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
