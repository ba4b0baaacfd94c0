// The mail with a confirm code. It shows exactly what the code confirms, so that the reader can compare it with the screen.
import type { Message } from './code'
import { htmlOf, type Layout, textOf } from './layout'

export type Confirmed =
  | {
      readonly what: 'payout'
      readonly amountGbp: string
      readonly recipientName: string
      readonly sortCode: string
      readonly accountLast4: string
      readonly reference: string | null
    }
  | { readonly what: 'live_key'; readonly label: string | null }
  | { readonly what: 'admin_invited' | 'made_admin'; readonly email: string; readonly name: string | null }
  | EmailsChanged

/** Null removes an address; undefined keeps it. */
export interface EmailsChanged {
  readonly what: 'emails_changed'
  readonly billingEmail: string | null | undefined
  readonly contactEmail: string | null | undefined
}

interface ConfirmMessage {
  readonly address: string
  readonly code: string
  readonly confirmed: Confirmed
  /** The partner's name. */
  readonly partner: string
}

export function confirmMessage({ address, code, confirmed, partner }: ConfirmMessage): Message {
  const { subject, ...layout } = layoutOf(code, confirmed, partner)
  return {
    to: { name: '', address },
    subject: `${code} confirms ${subject}`,
    text: textOf(layout),
    html: htmlOf(layout),
  }
}

function layoutOf(code: string, confirmed: Confirmed, partner: string): Layout & { readonly subject: string } {
  const { noun, heading, subject, facts } = wordsOf(confirmed)
  return {
    subject,
    preview: `Compare the details before you enter the code for this ${noun}.`,
    heading,
    paragraphs: [
      `Compare this ${noun} with the one on your screen. If it is the same, enter the code there. The code works once, within 10 minutes, for this ${noun} only.`,
      `If you did not ask for this ${noun}, someone else is signed in as you. Do not enter or share the code. Sign out everywhere in the dashboard's settings.`,
    ],
    facts: [['Code', code], ...facts, ['Partner', oneLine(partner)]],
    foot: `Sent because someone signed in with this email address asked for this ${noun}.`,
  }
}

interface ConfirmWords {
  readonly noun: string
  readonly heading: string
  readonly subject: string
  readonly facts: readonly (readonly [string, string])[]
}

function wordsOf(confirmed: Confirmed): ConfirmWords {
  switch (confirmed.what) {
    case 'payout':
      return payoutWords(confirmed)
    case 'live_key':
      return {
        noun: 'API key',
        heading: 'Confirm a new live API key',
        subject: 'a new live API key',
        facts: [
          ['Environment', 'live'],
          ['Label', confirmed.label === null ? 'none' : oneLine(confirmed.label)],
        ],
      }
    case 'admin_invited':
      return {
        noun: 'invitation',
        heading: 'Confirm the invitation of an admin',
        subject: `the invitation of ${confirmed.email} as an admin`,
        facts: personFacts(confirmed),
      }
    case 'made_admin':
      return {
        noun: 'change',
        heading: 'Confirm a new admin',
        subject: `that ${confirmed.email} becomes an admin`,
        facts: personFacts(confirmed),
      }
    case 'emails_changed':
      return {
        noun: 'change',
        heading: 'Confirm a change of email addresses',
        subject: 'a change of email addresses',
        facts: emailFacts(confirmed),
      }
  }
}

/** Facts that the recipient's name and the reference cannot influence come first. */
function payoutWords(payout: Extract<Confirmed, { what: 'payout' }>): ConfirmWords {
  const { amountGbp, sortCode, accountLast4, reference } = payout
  const name = oneLine(payout.recipientName)
  return {
    noun: 'payout',
    heading: `Confirm a payout of ${amountGbp} GBP`,
    subject: `${amountGbp} GBP to ${shortened(name)}`,
    facts: [
      ['Amount', `${amountGbp} GBP`],
      ['Sort code', sortCode.replace(/^(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3')],
      ['Account', `ending ${accountLast4}`],
      ['Recipient', name],
      ...(reference === null ? [] : [['Reference', oneLine(reference)] as const]),
    ],
  }
}

function personFacts({ email, name }: { readonly email: string; readonly name: string | null }) {
  return [
    ['Email', email],
    ...(name === null ? [] : [['Name', oneLine(name)] as const]),
    ['Role', 'admin: can send payouts and change settings'],
  ] as const
}

export function emailFacts({ billingEmail, contactEmail }: EmailsChanged): readonly (readonly [string, string])[] {
  return [...emailFact('Billing email', billingEmail), ...emailFact('Contact email', contactEmail)]
}

function emailFact(name: string, email: string | null | undefined): readonly (readonly [string, string])[] {
  return email === undefined ? [] : [[name, email ?? 'removed']]
}

/** A line break or a control character in a value could imitate another line of the mail. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
}

function shortened(name: string): string {
  const letters = Array.from(name)
  return letters.length > nameMax ? `${letters.slice(0, nameMax - 1).join('')}…` : name
}

const nameMax = 60
