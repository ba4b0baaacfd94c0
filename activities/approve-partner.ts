// Stands in for verification where the bank is make-believe: the live customer is approved by hand and gets its wallet.
import type { Clock } from '../clock'
import { recordActivity } from '../db/activity'
import { addCharge } from '../db/charges'
import type { Db, Tx } from '../db/database'
import { lockPartnerBySlug, type PartnerRow, updatePartner } from '../db/partners'
import { findPrices } from '../db/price-lists'
import { connectWallet, lockWallet, type WalletConnection } from '../db/wallets'
import { assert } from '../domain/assert'
import { micropoundsFromPence } from '../domain/money'
import type { MakeBelieveBank } from '../rail/make-believe'
import type { Rail } from '../rail/rail'
import { bankKeyFor } from './bank-key'

export interface ApproveDeps {
  readonly db: Db
  readonly clock: Clock
  /** The live one. */
  readonly rail: Pick<Rail, 'openCustomer' | 'createWallet'>
  readonly bank: Pick<MakeBelieveBank, 'approveCustomer'>
}

type LiveRefs = Pick<WalletConnection, 'verificationRef' | 'customerRef' | 'walletRef' | 'address'>

/** `already` when its live wallet is at the bank. Whoever repeats it, or does it at the same time, gets the same wallet. */
export async function approvePartner(
  deps: ApproveDeps,
  { partner, createdBy }: { readonly partner: PartnerRow; readonly createdBy: string },
): Promise<{ readonly outcome: 'approved' | 'already'; readonly partner: PartnerRow }> {
  const refs = await openLiveWallet(deps, partner)
  const at = deps.clock.now()
  return deps.db.transaction(async (tx) => {
    const now = await lockPartnerBySlug(tx, partner.slug)
    assert(now !== null, 'a partner does not vanish')
    const wallet = await lockWallet(tx, partner.id, 'live')
    if (wallet.walletRef !== null) return { outcome: 'already', partner: now }
    await connectWallet(tx, { ...refs, walletId: wallet.id, rail: 'provider_production', at })
    const verified = { verificationStatus: 'approved', providerStatus: 'approved', screening: 'clear' } as const
    const approved = await updatePartner(tx, partner.id, { ...verified, liveOpenedAt: now.liveOpenedAt ?? at }, at)
    await chargeVerification(tx, partner.id, at)
    const entry = { partnerId: partner.id, at, environment: 'live', action: 'partner.approve' } as const
    const made = { status: null, madeBy: createdBy, detail: 'make-believe bank', requestId: null }
    await recordActivity(tx, [{ ...entry, ...made, changes: 'something' }])
    return { outcome: 'approved', partner: approved }
  })
}

/** Once in a partner's life, whatever is approved again. */
async function chargeVerification(tx: Tx, partnerId: string, at: Date): Promise<void> {
  const { verificationPence } = await findPrices(tx, partnerId, at)
  if (verificationPence === 0n) return
  const about = { partnerId, kind: 'verification', causeRef: 'verification', payoutId: null, at } as const
  await addCharge(tx, { ...about, amountMicropounds: micropoundsFromPence(verificationPence) })
}

/** The day is in the keys, because after a day the bank refuses those it has seen; a wallet nobody uses does no harm. */
async function openLiveWallet({ rail, bank, clock }: ApproveDeps, partner: PartnerRow): Promise<LiveRefs> {
  const { id, name: legalName, slug, contactEmail } = partner
  const email = contactEmail ?? `${slug}@partners.invalid`
  const once = `${id}/${legalName}/${email}/${clock.now().toISOString().slice(0, 10)}`
  const key = bankKeyFor(`live-customer/${once}`)
  const { verificationRef, customerRef } = await rail.openCustomer({ legalName, email, redirectUrl: null, key })
  assert(customerRef !== null, 'a make-believe bank opens a customer with its link')
  await bank.approveCustomer(customerRef)
  const wallet = await rail.createWallet({ customerRef, chain: 'base', key: bankKeyFor(`live-wallet/${once}`) })
  return { verificationRef, customerRef, walletRef: wallet.walletRef, address: wallet.address }
}
