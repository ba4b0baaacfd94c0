// Stores the bank's decision about a business and all its consequences in one transaction.
import { recordActivity } from '../../../db/controls/activity'
import type { Tx } from '../../../db/database'
import { addCharge } from '../../../db/invoices/charges'
import { findPrices } from '../../../db/invoices/price-lists'
import { addNotice } from '../../../db/partners/notices'
import { lockPartner, type PartnerChanges, type PartnerRow, updatePartner } from '../../../db/partners/partners'
import {
  clearLiveCustomer,
  connectLiveWallet,
  isRefOfAnotherPartner,
  type LiveConnection,
  type LiveWallet,
  lockLiveWallet,
  storeLiveCustomer,
} from '../../../db/wallets/live'
import { assert } from '../../../domain/assert'
import { micropoundsFromPence } from '../../../domain/money'
import type { VerificationStatus } from '../../../domain/partners/partner'
import {
  isReady,
  markOf,
  openingRefused,
  type VerificationUpdate,
  verificationUpdate,
} from '../../../domain/partners/verification'
import type { Rail, Verification } from '../../../rail/rail'
import type { VerificationState } from '../../../workflows/partners/verification'
import type { ActivityDeps } from '../../bind'

export interface VerificationDeps extends Pick<ActivityDeps, 'db' | 'clock'> {
  readonly log: Pick<ActivityDeps['log'], 'error'>
  /** The live rail. */
  readonly rail: Pick<
    Rail,
    'openCustomer' | 'verification' | 'createWallet' | 'wallets' | 'depositAddress' | 'bankFunding'
  >
  /** The page to which the bank redirects after the verification. */
  readonly redirectUrl: string | null
  /** The actor that the activity list shows for the opening of the live wallet. */
  readonly madeBy: string
}

/** The partner as it was when the bank was called. */
export interface Asked {
  readonly partnerId: string
  readonly tries: number
  readonly verificationRef: string | null
}

/** The final state for a closed partner: its verification stops, and nothing more is opened, connected or charged. */
export function abandoned({ verificationStatus }: PartnerRow): VerificationState {
  return { status: verificationStatus === 'approved' ? 'approved' : 'rejected', ready: false }
}

export type Connection = Omit<LiveConnection, 'walletId' | 'at'>

interface Answer {
  readonly asked: Asked
  readonly bank: Verification
  /** The wallet to connect. Null if there is none yet, or if it is already connected. */
  readonly connection: Connection | null
}

/** Stores nothing and returns null if the partner no longer uses this customer. */
export async function storeVerification(deps: VerificationDeps, answer: Answer): Promise<VerificationState | null> {
  try {
    return await store(deps, answer)
  } catch (error) {
    if (!isRefOfAnotherPartner(error)) throw error
    const refused = await refuse(deps, answer.asked, 'belongs_to_another_partner')
    if (refused === null) throw error
    return refused
  }
}

async function store(deps: VerificationDeps, answer: Answer): Promise<VerificationState | null> {
  const { asked, bank } = answer
  const { partnerId } = asked
  const at = deps.clock.now()
  return deps.db.transaction(async (tx) => {
    const partner = await lockPartner(tx, partnerId)
    assert(partner !== null, 'the partner row must exist')
    if (partner.status === 'closed') return abandoned(partner)
    const wallet = await lockLiveWallet(tx, partnerId)
    if (!isOwn(wallet, bank)) return null
    const { verificationRef, customerRef } = bank
    await storeLiveCustomer(tx, { walletId: wallet.walletId, verificationRef, customerRef, at })

    const connection = connectionFor(wallet, answer)
    if (connection !== null) await connectLiveWallet(tx, { ...connection, walletId: wallet.walletId, at })
    const isOpening = connection !== null && wallet.walletRef === null
    if (isOpening) await openLive(tx, deps, { partnerId, at })

    const isConnected = wallet.walletRef !== null || connection !== null
    const update = verificationUpdate(bank, {
      status: partner.verificationStatus,
      reasonsKnown: partner.verificationReasonsKnown,
      wallet: isConnected ? 'connected' : 'absent',
    })
    reportUnknown(deps, partner, update, bank)
    await tellAdmins(tx, partner, update.status, at)
    const liveOpenedAt = isOpening ? (partner.liveOpenedAt ?? at) : partner.liveOpenedAt
    await updatePartner(tx, partnerId, { ...changesOf(update, bank), liveOpenedAt }, at)
    const isFunded = wallet.fundingRef !== null || connection !== null
    return { status: update.status, ready: isReady(bank) && !isFunded }
  })
}

function isOwn({ verificationRef, walletRef }: LiveWallet, bank: Verification): boolean {
  return verificationRef === null ? walletRef === null : verificationRef === bank.verificationRef
}

/** The first connected wallet is final. If a concurrent call created another one, that one remains unused. */
function connectionFor({ walletRef, fundingRef }: LiveWallet, { connection }: Answer): Connection | null {
  if (connection === null || fundingRef !== null) return null
  return walletRef === null || walletRef === connection.walletRef ? connection : null
}

async function openLive(
  tx: Tx,
  { madeBy }: VerificationDeps,
  { partnerId, at }: { partnerId: string; at: Date },
): Promise<void> {
  await chargeVerification(tx, partnerId, at)
  const entry = { partnerId, at, environment: 'live', action: 'partner.approve', madeBy } as const
  await recordActivity(tx, [{ ...entry, changes: 'something', status: null, detail: null, requestId: null }])
}

/** Charges the partner once, even if it is approved again. */
async function chargeVerification(tx: Tx, partnerId: string, at: Date): Promise<void> {
  const { verificationPence } = await findPrices(tx, partnerId, at)
  if (verificationPence === 0n) return
  const about = { partnerId, kind: 'verification', causeRef: 'verification', payoutId: null, at } as const
  await addCharge(tx, { ...about, amountMicropounds: micropoundsFromPence(verificationPence) })
}

/** Logs an unknown status once, although the bank is polled repeatedly. */
function reportUnknown(
  { log }: VerificationDeps,
  partner: PartnerRow,
  { bankStatus }: VerificationUpdate,
  bank: Verification,
): void {
  if (bankStatus === 'known' || partner.providerStatus === bank.providerStatus) return
  log.error({ partner_id: partner.id, state: bank.providerStatus }, 'unknown verification status at the bank')
}

/** Stores a link only until its step is done. */
function changesOf({ status, screening, reasonsKnown }: VerificationUpdate, bank: Verification): PartnerChanges {
  return {
    verificationStatus: status,
    providerStatus: bank.providerStatus,
    screening,
    verificationReasons: bank.reasons.map(({ text }) => text),
    verificationReasonMarks: bank.reasons.map(markOf),
    verificationReasonsKnown: reasonsKnown,
    verificationAwaitedSince: null,
    continueUrl: status === 'approved' ? null : bank.continueUrl,
    termsUrl: bank.termsAccepted ? null : bank.termsUrl,
  }
}

/** Changes nothing and returns null if another run has changed the verification since the bank was called. */
export async function refuse(
  deps: VerificationDeps,
  { partnerId, tries, verificationRef }: Asked,
  code: string,
): Promise<VerificationState | null> {
  const at = deps.clock.now()
  const refused = await deps.db.transaction(async (tx) => {
    const partner = await lockPartner(tx, partnerId)
    assert(partner !== null, 'the partner row must exist')
    const wallet = await lockLiveWallet(tx, partnerId)
    if (partner.status === 'closed') return { status: 'rejected', ready: false } as const
    const isAsAsked = wallet.verificationRef === verificationRef && partner.verificationTries === tries
    if (!isAsAsked || wallet.walletRef !== null) return null
    await clearLiveCustomer(tx, wallet.walletId, at)
    await tellAdmins(tx, partner, 'rejected', at)
    await updatePartner(tx, partnerId, refusal, at)
    return { status: 'rejected', ready: false } as const
  })
  if (refused !== null) deps.log.error({ partner_id: partnerId, code }, 'the bank refused to open a verification')
  return refused
}

/** Clears the bank's status, so that the next attempt starts from the beginning. */
const refusal = {
  verificationStatus: 'rejected',
  providerStatus: null,
  verificationReasons: [openingRefused],
  verificationReasonMarks: [],
  verificationReasonsKnown: null,
  verificationAwaitedSince: null,
  continueUrl: null,
  termsUrl: null,
} as const

const worthTelling: readonly VerificationStatus[] = ['action_required', 'approved', 'rejected']

/** Notifies admins only of a change: `partner` is the row before the update. */
async function tellAdmins(tx: Tx, partner: PartnerRow, status: VerificationStatus, at: Date): Promise<void> {
  if (status === partner.verificationStatus || !worthTelling.includes(status)) return
  await addNotice(tx, { partnerId: partner.id, environment: 'live', kind: 'verification', about: status, at })
}
