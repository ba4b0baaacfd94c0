// One example of each email that partners get.
import { type AccessChange, accessMessage } from '../../../mail/messages/access'
import { invitationMessage, type Message, signInMessage, signUpMessage } from '../../../mail/messages/code'
import { type Confirmed, confirmMessage } from '../../../mail/messages/confirm'
import { invoiceMessage } from '../../../mail/messages/invoice'
import { type NoticeContent, noticeMessage } from '../../../mail/messages/notice'
import { anInvoice } from './an-invoice'

const address = 'ada@acme.test'
const publicUrl = 'https://payouts.test'

export function everyMessage(): Readonly<Record<string, Message>> {
  const mailed = { address, code: '123456' }
  return {
    signIn: signInMessage(mailed),
    signUp: signUpMessage(mailed),
    invitation: invitation('approved'),
    invitationByUnverified: invitation('not_started'),
    confirmPayout: confirm({
      what: 'payout',
      amountGbp: '1042.00',
      recipientName: 'Nadia Okonkwo',
      sortCode: '200415',
      accountLast4: '0008',
      reference: 'Invoice 1042',
    }),
    confirmKey: confirm({ what: 'live_key', label: null }),
    confirmInvitation: confirm({ what: 'admin_invited', email: 'grace@acme.test', name: 'Grace Hopper' }),
    confirmPromotion: confirm({ what: 'made_admin', email: 'grace@acme.test', name: null }),
    confirmEmails: confirm({ what: 'emails_changed', billingEmail: 'bills@acme.test', contactEmail: null }),
    payoutFailed: notice({ kind: 'payout_failed', count: 1, items: [aPayout()] }),
    payoutsFailed: notice({ kind: 'payout_failed', count: 30, items: [aPayout(), aPayout()] }),
    payoutReturned: notice({ kind: 'payout_returned', count: 1, items: [aPayout()] }),
    payoutsReturned: notice({ kind: 'payout_returned', count: 2, items: [aPayout(), aPayout()] }),
    firstPayout: notice({ kind: 'first_payout', count: 1, items: [firstBy('key:kp_live_12345678')] }),
    firstPayouts: notice({
      kind: 'first_payout',
      count: 2,
      items: [firstBy('key:kp_live_12345678'), firstBy(address)],
    }),
    topUp: notice({ kind: 'top_up', count: 1, amountsUsdc: ['12345.678901'] }),
    topUps: notice({ kind: 'top_up', count: 2, amountsUsdc: ['12345.67', '1.00'] }),
    recall: notice({ kind: 'case', count: 1, items: [aCase('recall', 'refused')] }),
    cases: notice({ kind: 'case', count: 2, items: [aCase('recall', 'returned'), aCase('trace', 'not_found')] }),
    lowBalance: notice({ kind: 'low_balance', balanceUsdc: '5752.82', thresholdUsdc: '6000.00' }),
    actionRequired: verification('action_required'),
    verified: verification('approved'),
    declined: verification('rejected', ['Your information could not be verified.', 'The document has expired.']),
    liveKey: access({ what: 'live_key', keyPrefix: 'kp_live_12345678', label: 'Shop' }),
    adminInvited: access({ what: 'admin_invited', email: 'grace@acme.test' }),
    madeAdmin: access({ what: 'made_admin', email: address }),
    madeViewer: access({ what: 'made_viewer', email: 'grace@acme.test' }),
    madeViewerReader: access({ what: 'made_viewer', email: address }),
    removedReader: access({ what: 'removed', email: address }),
    removedOther: access({ what: 'removed', email: 'grace@acme.test' }),
    emailsChanged: access({ what: 'emails_changed', billingEmail: 'bills@acme.test', contactEmail: undefined }),
    invoice: invoiceMessage({
      document: anInvoice(),
      pdf: Buffer.from('%PDF'),
      address,
      messageId: '<1@a.test>',
      publicUrl,
    }),
  }
}

function invitation(verificationStatus: 'approved' | 'not_started'): Message {
  const partner = { name: 'Acme Ltd', slug: 'acme', verificationStatus }
  return invitationMessage({
    address: 'grace@acme.test',
    name: 'Grace',
    by: address,
    partner,
    role: 'viewer',
    memberId: 'id-2',
    publicUrl,
  })
}

function confirm(confirmed: Confirmed): Message {
  return confirmMessage({ address, code: '123456', confirmed, partner: 'Acme Ltd' })
}

function notice(content: NoticeContent): Message {
  const about = { address, sentTo: 'admins', partner: 'Acme Ltd', verification: 'approved', publicUrl } as const
  return noticeMessage({ ...about, content })
}

function verification(status: string, reasons: readonly string[] = []): Message {
  return notice({ kind: 'verification', status, reasons, canRetry: true })
}

function access(happened: AccessChange): Message {
  const page = happened.what === 'live_key' ? 'keys?environment=live' : 'team'
  const undoUrl = `${publicUrl}/dashboard/${page}`
  return accessMessage({
    address,
    happened,
    by: address,
    at: new Date('2026-11-16T12:00Z'),
    partner: 'Acme Ltd',
    undoUrl,
  })
}

function aPayout() {
  const reason = 'invalid_account: The bank rejected the account details.'
  return { payoutId: 'id-1', amountGbp: '1120.00', recipientName: 'Ada Lovelace', accountLast4: '5678', reason }
}

function firstBy(by: string) {
  return { payoutId: 'id-1', amountGbp: '1120.00', by }
}

function aCase(kind: string, outcome: string) {
  return { payoutId: 'id-1', kind, outcome, amountGbp: '1120.00' }
}
