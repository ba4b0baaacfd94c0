// The email with a confirmation code. It shows all details of the action, so that the reader can compare them with
// the screen.
import { grouped } from '../formats'
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

/** Null removes the address. Undefined leaves it unchanged. */
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
    subject: `${code} is your code to confirm ${subject}`,
    text: textOf(layout),
    html: htmlOf(layout),
  }
}

function layoutOf(code: string, confirmed: Confirmed, partner: string): Layout & { readonly subject: string } {
  const { noun, heading, subject, facts } = wordsOf(confirmed)
  return {
    subject,
    preview: `Check the details before you enter the code for this ${noun}.`,
    heading,
    code,
    paragraphs: [
      `Check that the details below match your screen, then enter the code there. It expires in 10 minutes and works only once, for this ${noun}.`,
      `Didn’t request this ${noun}? Someone else may be signed in as you. Don’t enter or share this code, and sign out of all sessions in Settings.`,
    ],
    facts: [...facts, ['Business', oneLine(partner)]],
    foot: `Sent because a person who is signed in with this email address requested this ${noun}.`,
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
          ['Environment', 'Live'],
          ['Label', confirmed.label === null ? 'None' : oneLine(confirmed.label)],
        ],
      }
    case 'admin_invited':
      return {
        noun: 'invitation',
        heading: 'Confirm an admin invitation',
        subject: `inviting ${confirmed.email} as an admin`,
        facts: personFacts(confirmed),
      }
    case 'made_admin':
      return {
        noun: 'change',
        heading: 'Confirm a new admin',
        subject: `making ${confirmed.email} an admin`,
        facts: personFacts(confirmed),
      }
    case 'emails_changed':
      return {
        noun: 'change',
        heading: 'Confirm an email address change',
        subject: 'an email address change',
        facts: emailFacts(confirmed),
      }
  }
}

/** The facts that a forged recipient name or reference cannot influence come first. */
function payoutWords(payout: Extract<Confirmed, { what: 'payout' }>): ConfirmWords {
  const { amountGbp, sortCode, accountLast4, reference } = payout
  const amount = `£${grouped(amountGbp)}`
  const name = oneLine(payout.recipientName)
  return {
    noun: 'payout',
    heading: `Confirm a payout of ${amount}`,
    subject: `${amount} to ${shortened(name)}`,
    facts: [
      ['Amount', amount],
      ['Sort code', sortCode.replace(/^(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3')],
      ['Account number', `ending ${accountLast4}`],
      ['Recipient', name],
      ...(reference === null ? [] : [['Reference', oneLine(reference)] as const]),
    ],
  }
}

function personFacts({ email, name }: { readonly email: string; readonly name: string | null }) {
  return [
    ['Email', email],
    ...(name === null ? [] : [['Name', oneLine(name)] as const]),
    ['Role', 'Admin: can send payouts and change settings'],
  ] as const
}

export function emailFacts({ billingEmail, contactEmail }: EmailsChanged): readonly (readonly [string, string])[] {
  return [...emailFact('Billing email', billingEmail), ...emailFact('Contact email', contactEmail)]
}

function emailFact(name: string, email: string | null | undefined): readonly (readonly [string, string])[] {
  return email === undefined ? [] : [[name, email ?? 'Removed']]
}

/** A line break or a control character in a value could imitate another line of the email. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
}

function shortened(name: string): string {
  const letters = Array.from(name)
  return letters.length > nameMax ? `${letters.slice(0, nameMax - 1).join('')}…` : name
}

const nameMax = 60
