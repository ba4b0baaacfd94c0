// Emails to a partner's admins about their money and their account.
import type { SwitchableNotice, VerificationStatus } from '../../domain/partners/partner'
import type { CaseOutcome } from '../../domain/payouts/case'
import { grouped } from '../formats'
import type { Message } from './code'
import { htmlOf, type Layout, type Link, textOf } from './layout'

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
  | {
      readonly kind: 'verification'
      readonly status: string
      readonly reasons: readonly string[]
      readonly canRetry: boolean
    }

interface PayoutItem {
  readonly payoutId: string
  readonly amountGbp: string
  readonly recipientName: string
  readonly accountLast4: string
  /** A stable code, followed by a sentence. */
  readonly reason: string | null
}

/** The first live payout by a key or an admin. */
interface FirstPayout {
  readonly payoutId: string
  readonly amountGbp: string
  /** An email address, or `key:` and the key's prefix. */
  readonly by: string
}

interface ToldCase {
  readonly payoutId: string
  readonly kind: string
  readonly outcome: string
  readonly amountGbp: string
}

/** The admins who have signed in, or the contact address if no admin has. */
export type NoticeReaders = 'admins' | 'contact'

interface NoticeMessage {
  readonly address: string
  readonly sentTo: NoticeReaders
  /** The partner's name. */
  readonly partner: string
  readonly verification: VerificationStatus
  readonly publicUrl: string
  readonly content: NoticeContent
}

type Told = Pick<Layout, 'heading' | 'paragraphs' | 'facts' | 'items' | 'actions'>

export function noticeMessage({ address, sentTo, partner, verification, publicUrl, content }: NoticeMessage): Message {
  const dashboard = `${publicUrl}/dashboard`
  const told = toldOf(content, dashboard)
  // Anyone can sign up under any name, so only a verified partner's name is in the subject.
  const whose = verification === 'approved' ? `${partner}: ` : ''
  const readers =
    sentTo === 'admins'
      ? `the admins of ${partner}`
      : `the contact address of ${partner}, because no admin has signed in yet`
  const stop =
    content.kind === 'first_payout'
      ? { foot: `Sent to ${readers}. You can’t turn off security emails.` }
      : {
          foot: `Sent to ${readers}. To stop these emails, turn off “${switchNames[content.kind]}” in Settings.`,
          footLink: { label: 'Open Settings', url: `${dashboard}/settings` },
        }
  const layout = { ...told, preview: told.paragraphs[0] ?? told.heading, ...stop }
  return { to: { name: '', address }, subject: `${whose}${told.heading}`, text: textOf(layout), html: htmlOf(layout) }
}

/** The dashboard's Settings page shows the same names. */
export const switchNames: Readonly<Record<SwitchableNotice, string>> = {
  payout_failed: 'Payout failed',
  payout_returned: 'Payout returned',
  top_up: 'Top-up received',
  low_balance: 'Low wallet balance',
  case: 'Recall or trace resolved',
  verification: 'Verification updates',
}

function toldOf(content: NoticeContent, dashboard: string): Told {
  if (content.kind === 'first_payout') return firstPayoutsTold(content, dashboard)
  if (content.kind === 'top_up') return topUpsTold(content, dashboard)
  if (content.kind === 'case') return casesTold(content, dashboard)
  if (content.kind === 'low_balance') return lowBalanceTold(content, dashboard)
  if (content.kind === 'verification') return verificationTold(content, dashboard)
  return payoutsTold(content, dashboard)
}

const payoutSentences = {
  payout_failed: {
    one: 'This payout didn’t reach the recipient. The money returns to your wallet once the bank refunds it. You won’t be charged.',
    many: 'These payouts didn’t reach their recipients. The money returns to your wallet once the bank refunds it. You won’t be charged.',
  },
  payout_returned: {
    one: 'The recipient’s bank returned the money. It goes back to your wallet once our bank has received it.',
    many: 'The recipients’ banks returned the money. It goes back to your wallet once our bank has received it.',
  },
}

function payoutsTold(
  { kind, count, items }: Extract<NoticeContent, { kind: 'payout_failed' | 'payout_returned' }>,
  dashboard: string,
): Told {
  const verb = kind === 'payout_failed' ? 'failed' : count === 1 ? 'was returned' : 'were returned'
  return {
    heading: `${counted(count, 'payout')} ${verb}`,
    paragraphs: [payoutSentences[kind][count === 1 ? 'one' : 'many'], ...cut(count, items.length)],
    items: items.map(({ payoutId, amountGbp, recipientName, accountLast4, reason }) => ({
      title: `${pounds(amountGbp)} to ${recipientName}`,
      url: payoutUrl(dashboard, payoutId),
      lines: [`Account ending ${accountLast4}`, ...(reason === null ? [] : [sentenceOf(reason)])],
    })),
    actions: [viewPayouts(dashboard, count, items)],
  }
}

function firstPayoutsTold({ count, items }: Extract<NoticeContent, { kind: 'first_payout' }>, dashboard: string): Told {
  const [only] = items
  const isKey = ({ by }: FirstPayout) => by.startsWith('key:')
  const one = only && isKey(only) ? 'An API key created its' : 'An admin created their'
  return {
    heading: count === 1 ? `${one} first live payout` : `${count} API keys or admins created their first live payout`,
    paragraphs: [
      'If you expected this, there’s nothing to do. If not, revoke the key or remove the admin now, then contact us about the payout.',
      ...cut(count, items.length),
    ],
    items: items.map((item) => ({
      title: pounds(item.amountGbp),
      url: payoutUrl(dashboard, item.payoutId),
      lines: [`by ${isKey(item) ? `API key ${item.by.slice('key:'.length)}…` : item.by}`],
    })),
    actions: [
      ...(items.some(isKey) ? [{ label: 'Review API keys', url: `${dashboard}/keys?environment=live` }] : []),
      ...(items.every(isKey) ? [] : [{ label: 'Review team', url: `${dashboard}/team` }]),
    ],
  }
}

function topUpsTold({ count, amountsUsdc }: Extract<NoticeContent, { kind: 'top_up' }>, dashboard: string): Told {
  return {
    heading: count === 1 ? 'A top-up arrived' : `${count} top-ups arrived`,
    paragraphs: ['The money is in your live wallet.', ...cut(count, amountsUsdc.length)],
    facts: amountsUsdc.map((amount) => ['Amount', usdc(amount)] as const),
    actions: [{ label: 'View wallet', url: `${dashboard}/wallet?environment=live` }],
  }
}

function casesTold({ count, items }: Extract<NoticeContent, { kind: 'case' }>, dashboard: string): Told {
  const [only] = items
  return {
    heading: count === 1 && only ? `A ${only.kind} was resolved` : `${count} recalls or traces were resolved`,
    paragraphs: [
      count === 1 ? 'See the payout’s page for details.' : 'See each payout’s page for details.',
      ...cut(count, items.length),
    ],
    items: items.map(({ payoutId, kind, outcome, amountGbp }) => ({
      title: `${capital(kind)} of a ${pounds(amountGbp)} payout`,
      url: payoutUrl(dashboard, payoutId),
      lines: [caseOutcomeWords[outcome] ?? capital(outcome.replaceAll('_', ' '))],
    })),
    actions: [viewPayouts(dashboard, count, items)],
  }
}

/** The dashboard shows the same words. */
export const caseOutcomeWords: Readonly<Record<string, string>> = {
  returned: 'Money will be returned',
  refused: 'Recipient declined',
  found: 'Payment located',
  not_found: 'Payment not located',
  withdrawn: 'Withdrawn',
} satisfies Record<CaseOutcome, string>

function lowBalanceTold(
  { balanceUsdc, thresholdUsdc }: Extract<NoticeContent, { kind: 'low_balance' }>,
  dashboard: string,
): Told {
  return {
    heading: 'Your wallet balance is low',
    paragraphs: ['Your live wallet balance has fallen below your alert level. Top up to keep payouts going.'],
    facts: [
      ['Wallet balance', usdc(balanceUsdc)],
      ['Alert level', usdc(thresholdUsdc)],
    ],
    actions: [{ label: 'Top up', url: `${dashboard}/top-up?environment=live` }],
  }
}

const verificationWords: Readonly<Record<string, readonly [string, string]>> = {
  action_required: [
    'Action needed on your verification',
    'The bank needs more information before you can send live payouts. Open the Verification page to see what’s missing.',
  ],
  approved: [
    'Your business is verified',
    'You can now create live API keys, top up your wallet and send live payouts.',
  ],
  rejected: ['Your verification was declined', 'The bank declined your application.'],
}

function verificationTold(
  { status, reasons, canRetry }: Extract<NoticeContent, { kind: 'verification' }>,
  dashboard: string,
): Told {
  const [heading, sentence] = verificationWords[status] ?? [
    'Your verification status changed',
    'See the new status on the Verification page.',
  ]
  const retry = status !== 'rejected' ? '' : canRetry ? ' You can apply again.' : ' You can’t apply again.'
  return {
    heading,
    paragraphs: [`${sentence}${retry}`, ...(reasons.length > 0 ? ['Reasons given by the bank:'] : [])],
    items: reasons.map((title) => ({ title, lines: [] })),
    actions: [{ label: 'View verification', url: `${dashboard}/verification` }],
  }
}

function viewPayouts(dashboard: string, count: number, [first]: readonly { readonly payoutId: string }[]): Link {
  return count === 1 && first
    ? { label: 'View payout', url: payoutUrl(dashboard, first.payoutId) }
    : { label: 'View payouts', url: `${dashboard}/payouts?environment=live` }
}

function payoutUrl(dashboard: string, payoutId: string): string {
  return `${dashboard}/payouts/${payoutId}?environment=live`
}

function cut(count: number, listed: number): string[] {
  return count > listed ? [`Showing ${listed} of ${count}.`] : []
}

function counted(count: number, noun: string): string {
  return count === 1 ? `A ${noun}` : `${count} ${noun}s`
}

/** Removes the leading code of a reason, which is only for programs. */
function sentenceOf(reason: string): string {
  return reason.replace(/^[a-z_]+: */, '')
}

function pounds(amountGbp: string): string {
  return `£${grouped(amountGbp)}`
}

function usdc(amount: string): string {
  return `${grouped(amount)} USDC`
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
