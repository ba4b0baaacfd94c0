// The mail with the code that a live payout is confirmed by: it names the amount and the recipient, to be compared before it is typed.
import type { Message } from './code-message'
import { htmlOf, type Layout, textOf } from './layout'

export interface ConfirmMessage {
  readonly address: string
  readonly code: string
  /** In pounds. */
  readonly amountGbp: string
  readonly recipientName: string
  readonly accountLast4: string
  readonly reference: string | null
  /** Whose money it is. */
  readonly partner: string
}

export function confirmMessage(about: ConfirmMessage): Message {
  const { address, code, amountGbp } = about
  const layout = layoutOf(about)
  return {
    to: { name: '', address },
    subject: `${code} confirms ${amountGbp} GBP to ${shortened(about.recipientName)}`,
    text: textOf(layout),
    html: htmlOf(layout),
  }
}

function layoutOf({ code, amountGbp, recipientName, accountLast4, reference, partner }: ConfirmMessage): Layout {
  return {
    preview: `${amountGbp} GBP to the account ending ${accountLast4}.`,
    heading: `Confirm a payout of ${amountGbp} GBP`,
    paragraphs: [
      'Compare this payout with the one on your screen. If it is the same, enter the code there: it works once, for this payout only, within 10 minutes.',
      'If you are not making this payout, somebody else is signed in as you: enter nothing, give the code to nobody, and sign out everywhere.',
    ],
    facts: [
      ['Code', code],
      ['Amount', `${amountGbp} GBP`],
      ['To', recipientName],
      ['Account', `ending ${accountLast4}`],
      ...(reference === null ? [] : [['Reference', reference] as const]),
      ['From', partner],
    ],
    foot: 'Sent because somebody who is signed in with this email address asked for a payout.',
  }
}

function shortened(name: string): string {
  const letters = Array.from(name)
  return letters.length > nameMax ? `${letters.slice(0, nameMax - 1).join('')}…` : name
}

const nameMax = 60
