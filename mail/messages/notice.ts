// Mails a partner's admins about their money and their account.
import type { SwitchableNotice, VerificationStatus } from '../../domain/partners/partner'
import type { Message } from './code'
import { htmlOf, type Layout, textOf } from './layout'

export type NoticeContent =
  | {
      readonly kind: 'payout_failed' | 'payout_returned'
      readonly count: number
      readonly items: readonly PayoutItem[]
    }
  | { readonly kind: 'first_payout'; readonly count: number; readonly items: readonly FirstPayout[] }
  | { readonly kind: 'top_up'; readonly count: number; readonly amountsUsdc: readonly string[] }
  | { readonly kind: 'case'; readonly count: number; readonly items: readonly ToldCase[] }
  | { readonly kind: 'low_balance'; readonly balanceUsdc: string; readonly thresholdUsdc: string }
  | { readonly kind: 'verification'; readonly status: string; readonly reasons: readonly string[] }

interface PayoutItem {
  readonly payoutId: string
  readonly amountGbp: string
  readonly recipientName: string
  readonly accountLast4: string
  /** A stable code, then a sentence. */
  readonly reason: string | null
}

/** The first live payout of a key or an admin. */
interface FirstPayout {
  readonly payoutId: string
  readonly amountGbp: string
  /** An email, or `key:` and the key's prefix. */
  readonly by: string
}

interface ToldCase {
  readonly payoutId: string
  readonly kind: string
  readonly outcome: string
  readonly amountGbp: string
}

/** The admins who have signed in, or the contact address while there is none. */
export type NoticeReaders = 'admins' | 'contact'

interface NoticeMessage {
  readonly address: string
  readonly sentTo: NoticeReaders
  /** The partner of the admin. */
  readonly partner: string
  readonly verification: VerificationStatus
  readonly publicUrl: string
  readonly content: NoticeContent
}

type Told = Pick<Layout, 'heading' | 'paragraphs' | 'facts'>

export function noticeMessage({ address, sentTo, partner, verification, publicUrl, content }: NoticeMessage): Message {
  const told = toldOf(content, `${publicUrl}/dashboard`)
  // Anyone can sign up under any name, so the subject and preview contain no partner's text.
  const whose = verification === 'approved' ? `${partner}: ` : ''
  const howToStop =
    content.kind === 'first_payout'
      ? 'This mail cannot be switched off.'
      : `To stop these mails, switch off “${switchNames[content.kind]}” in the settings of the dashboard.`
  const readers =
    sentTo === 'admins'
      ? `the admins of ${partner}`
      : `the contact address of ${partner}, because no admin has signed in yet`
  const foot = `Sent to ${readers}. ${howToStop}`
  const layout = { ...told, preview: told.paragraphs[0] ?? told.heading, foot }
  return { to: { name: '', address }, subject: `${whose}${told.heading}`, text: textOf(layout), html: htmlOf(layout) }
}

const switchNames: Readonly<Record<SwitchableNotice, string>> = {
  payout_failed: 'A payout failed',
  payout_returned: 'A payout was returned',
  low_balance: 'The balance is low',
  verification: 'Verification changed',
  top_up: 'A top-up arrived',
  case: 'A recall or trace was resolved',
}

function toldOf(content: NoticeContent, dashboard: string): Told {
  if (content.kind === 'first_payout') return firstPayoutsTold(content, dashboard)
  if (content.kind === 'top_up') return topUpsTold(content, dashboard)
  if (content.kind === 'case') return casesTold(content, dashboard)
  if (content.kind === 'low_balance') return lowBalanceTold(content, dashboard)
  if (content.kind === 'verification') return verificationTold(content, dashboard)
  return payoutsTold(content, dashboard)
}

function payoutsTold(
  { kind, count, items }: Extract<NoticeContent, { kind: 'payout_failed' | 'payout_returned' }>,
  dashboard: string,
): Told {
  const verb = kind === 'payout_failed' ? 'failed' : count === 1 ? 'was returned' : 'were returned'
  const what =
    kind === 'payout_failed'
      ? 'It did not reach the recipient. The money goes back to your wallet as soon as the bank has refunded it, and no fee is charged.'
      : 'The recipient’s bank sent it back. The money goes back to your wallet as soon as the bank has refunded it.'
  const plural = what.replace('It did', 'They did').replace('sent it back', 'sent them back')
  const facts = items.map(({ payoutId, amountGbp, recipientName, accountLast4, reason }): readonly [string, string] => [
    `${amountGbp} GBP`,
    [`${recipientName}, account ending ${accountLast4}`, reason, link(dashboard, payoutId)].filter(Boolean).join('\n'),
  ])
  return {
    heading: `${counted(count, 'payout')} ${verb}`,
    paragraphs: [count === 1 ? what : plural, ...cut(count, items.length, `${dashboard}/payouts?environment=live`)],
    facts,
  }
}

function firstPayoutsTold({ count, items }: Extract<NoticeContent, { kind: 'first_payout' }>, dashboard: string): Told {
  const [only] = items
  const payer = only?.by.startsWith('key:') ? 'an API key' : 'an admin'
  return {
    heading:
      count === 1
        ? `${capital(payer)} requested a first live payout`
        : `${count} keys or admins requested a first live payout`,
    paragraphs: [
      'If you expected this, you need not do anything. If not, revoke the key or remove the admin now, and contact us about the payout.',
      ...cut(count, items.length, `${dashboard}/payouts?environment=live`),
    ],
    facts: [
      ...items.map(({ payoutId, amountGbp, by }): readonly [string, string] => [
        `${amountGbp} GBP`,
        `by ${by.startsWith('key:') ? `the key ${by.slice('key:'.length)}…` : by}\n${link(dashboard, payoutId)}`,
      ]),
      ['Keys', `${dashboard}/keys?environment=live`],
      ['Team', `${dashboard}/team`],
    ],
  }
}

function topUpsTold({ count, amountsUsdc }: Extract<NoticeContent, { kind: 'top_up' }>, dashboard: string): Told {
  const wallet = `${dashboard}/wallet?environment=live`
  return {
    heading: count === 1 ? 'A top-up arrived' : `${count} top-ups arrived`,
    paragraphs: ['The money is in your live wallet.', ...cut(count, amountsUsdc.length, wallet)],
    facts: [...amountsUsdc.map((usdc) => ['Arrived', `${usdc} USDC`] as const), ['Wallet', wallet]],
  }
}

function casesTold({ count, items }: Extract<NoticeContent, { kind: 'case' }>, dashboard: string): Told {
  const [only] = items
  return {
    heading: count === 1 && only ? `A ${only.kind} was resolved` : `${count} recalls and traces were resolved`,
    paragraphs: [
      'The notes are on the payout’s page.',
      ...cut(count, items.length, `${dashboard}/payouts?environment=live`),
    ],
    facts: items.map(({ payoutId, kind, outcome, amountGbp }): readonly [string, string] => [
      `${capital(kind)}, ${amountGbp} GBP`,
      `${outcome.replaceAll('_', ' ')}\n${link(dashboard, payoutId)}`,
    ]),
  }
}

function lowBalanceTold(
  { balanceUsdc, thresholdUsdc }: Extract<NoticeContent, { kind: 'low_balance' }>,
  dashboard: string,
): Told {
  return {
    heading: 'Your balance is low',
    paragraphs: ['Your live wallet is below your limit. Top up, so that payouts are not refused.'],
    facts: [
      ['In the wallet', `${balanceUsdc} USDC`],
      ['Told below', `${thresholdUsdc} USDC`],
      ['Top up at', `${dashboard}/top-up?environment=live`],
    ],
  }
}

const verificationWords: Readonly<Record<string, readonly [string, string]>> = {
  action_required: [
    'Your verification needs something from you',
    'The bank needs more information. Continue where you stopped.',
  ],
  approved: ['Your business is verified', 'You can make live keys, top up and pay.'],
  rejected: ['Your verification was refused', 'The bank has refused it for now. You can try again.'],
}

function verificationTold(
  { status, reasons }: Extract<NoticeContent, { kind: 'verification' }>,
  dashboard: string,
): Told {
  const [heading, sentence] = verificationWords[status] ?? ['Your verification has changed', 'Check its status.']
  return {
    heading,
    paragraphs: [sentence],
    facts: [
      ['Status', status.replaceAll('_', ' ')],
      ...(reasons.length > 0 ? [['Why', reasons.join('\n')] as const] : []),
      ['See', `${dashboard}/verification`],
    ],
  }
}

function cut(count: number, listed: number, where: string): string[] {
  return count > listed ? [`These are ${listed} of ${count}; all of them: ${where}`] : []
}

function counted(count: number, noun: string): string {
  return count === 1 ? `A ${noun}` : `${count} ${noun}s`
}

function link(dashboard: string, payoutId: string): string {
  return `${dashboard}/payouts/${payoutId}?environment=live`
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
