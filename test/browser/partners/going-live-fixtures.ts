// Partners in each verification state, and payouts that were recalled, traced or returned, for pages to show.

import type { PartnerChanges, PartnerRow } from '../../../db/partners/partners'
import { addCaseNote, endCase, lockCase, markOneLate, openCase } from '../../../db/payouts/cases/cases'
import type { StoredPayout } from '../../../db/payouts/payout'
import { postSet } from '../../../db/wallets/ledger'
import { connectLiveWallet, lockLiveWallet } from '../../../db/wallets/live'
import type { CaseKind } from '../../../domain/payouts/case'
import { refundPostings } from '../../../domain/wallets/ledger'
import type { Api } from '../../support/api/client'
import { aPartner, aPayoutRow } from '../../support/api/fixtures'

const dayMs = 24 * 60 * 60 * 1000
const links = { continueUrl: 'https://bank.test/kyc/1', termsUrl: 'https://bank.test/terms/1' }
const refusals = ['The company could not be found in the register.', 'An owner’s address could not be read.']

/** Keyed by screenshot name. */
export const verificationStates: Readonly<Record<string, PartnerChanges>> = {
  'verification-connecting': { verificationStatus: 'pending' },
  'verification-pending': { verificationStatus: 'pending', providerStatus: 'not_started', ...links },
  'verification-action': { verificationStatus: 'action_required', providerStatus: 'incomplete', ...links },
  'verification-review': { verificationStatus: 'in_review', providerStatus: 'under_review' },
  'verification-rejected': {
    verificationStatus: 'rejected',
    providerStatus: 'rejected',
    screening: 'blocked',
    verificationReasons: refusals,
  },
  'verification-again': {
    verificationStatus: 'action_required',
    providerStatus: 'rejected',
    screening: 'blocked',
    verificationReasons: refusals,
    ...links,
  },
  'verification-paused': { verificationStatus: 'in_review', providerStatus: 'paused', screening: 'blocked' },
  'verification-approved': { verificationStatus: 'approved', providerStatus: 'approved', screening: 'clear' },
}

/** A partner with a connected live wallet, which can be topped up. */
export async function aFundedPartner(api: Api): Promise<PartnerRow> {
  const partner = await aPartner(api, { name: 'Northwind Market Ltd', lowBalanceMicroUsdc: 500_000_000n })
  await api.db.transaction(async (tx) => {
    const { walletId } = await lockLiveWallet(tx, partner.id)
    await connectLiveWallet(tx, {
      walletId,
      customerRef: 'customer-1',
      walletRef: 'wallet-1',
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      fundingRef: 'virtual-1',
      sortCode: '040004',
      accountNumber: '10234567',
      holderName: 'Northwind Market Ltd',
      bankName: 'Sandbox Bank',
      at: api.clock.now(),
    })
  })
  return partner
}

/** A completed payout with a refused recall and an overdue trace. */
export async function aPayoutWithCases(api: Api, partner: PartnerRow): Promise<string> {
  const { id } = await aPayoutRow(api, partner, { environment: 'live', createdAt: ago(api, 30) })
  const recall = await open(api, id, 'recall', 'Paid to the wrong supplier: invoice 1042 was not theirs.')
  const trace = await open(api, id, 'trace', 'The recipient says it has not arrived.')
  await api.db.transaction(async (tx) => {
    const at = api.clock.now()
    await addCaseNote(tx, { caseId: recall, at, madeBy: 'ops:grace', note: 'The bank has asked the recipient.' })
    const row = await lockCase(tx, recall)
    if (row === null) throw new Error('the case is gone')
    await endCase(tx, row, { outcome: 'refused', costMicropounds: 12_500_000n, by: 'ops:grace', at })
  })
  await markOneLate(api.db, trace, api.clock.now())
  return id
}

export async function aReturnedPayout(api: Api, partner: PartnerRow): Promise<string> {
  const failureReason = 'account_closed: The account is closed.'
  // Created long before the week that the home page covers, but returned within it.
  const about = { environment: 'live', createdAt: ago(api, 60), updatedAt: ago(api, 1) } as const
  const { id } = await aPayoutRow(api, partner, { ...about, status: 'returned', failureReason })
  return id
}

/** Books a refund of the full amount that the wallet sent. */
export async function refund(
  { db, clock }: Api,
  { id, walletId, walletSendsMicroUsdc: sum }: StoredPayout,
): Promise<void> {
  const about = { walletId, payoutId: id, causeRef: `${id}/refund`, createdBy: 'test', at: clock.now() }
  await postSet(db, { ...about, cause: 'refund', postings: refundPostings(sum, sum) })
}

async function open(api: Api, payoutId: string, kind: CaseKind, reason: string): Promise<string> {
  const [openedAt, dueAt] = [ago(api, 14), ago(api, 4)]
  const about = { payoutId, kind, reason, openedBy: 'ada@acme.test', openedAt, dueAt }
  const opened = await api.db.transaction((tx) => openCase(tx, about))
  if (opened.outcome !== 'opened') throw new Error(`no ${kind}: ${opened.outcome}`)
  return opened.case.id
}

function ago({ clock }: Api, days: number): Date {
  return new Date(clock.now().getTime() - days * dayMs)
}
