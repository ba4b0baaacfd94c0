// The business as the bank's customer: opened once, and looked at as often as anybody wants to know.
import { findLiveWallet, type LiveWallet } from '../../db/live-wallets'
import { findPartnerById, type PartnerRow } from '../../db/partners'
import { assert } from '../../domain/assert'
import type { VerificationStanding } from '../../workflows/verification-steps'
import { bankKeyFor } from '../bank-key'
import type { VerificationDeps } from './deps'
import { storeStanding } from './store'

/** Two who open at once use one customer: the one that is stored first. */
export async function openLiveCustomer(deps: VerificationDeps, partnerId: string): Promise<VerificationStanding> {
  const { verificationRef, walletRef } = await loadLiveWallet(deps, partnerId)
  if (verificationRef !== null || walletRef !== null) return checkLiveCustomer(deps, partnerId)
  const opened = await deps.rail.openCustomer(customerOf(await loadPartner(deps, partnerId), deps))
  const stored = await storeStanding(deps, { partnerId, bank: opened, connection: null })
  return stored ?? checkLiveCustomer(deps, partnerId)
}

export async function checkLiveCustomer(deps: VerificationDeps, partnerId: string): Promise<VerificationStanding> {
  const { verificationRef } = await loadLiveWallet(deps, partnerId)
  if (verificationRef === null) {
    // A wallet that was connected by other means: there is nothing that the bank could be asked for.
    return { status: (await loadPartner(deps, partnerId)).verificationStatus, ready: false }
  }
  const bank = await deps.rail.verification(verificationRef)
  const stored = await storeStanding(deps, { partnerId, bank, connection: null })
  assert(stored !== null, 'a stored customer stays')
  return stored
}

export async function loadLiveWallet({ db }: VerificationDeps, partnerId: string): Promise<LiveWallet> {
  const wallet = await findLiveWallet(db, partnerId)
  assert(wallet !== null, 'a partner must have a live wallet')
  return wallet
}

async function loadPartner({ db }: VerificationDeps, partnerId: string): Promise<PartnerRow> {
  const partner = await findPartnerById(db, partnerId)
  assert(partner !== null, 'only a partner can be verified')
  return partner
}

/**
 * What is asked for is in the key, because the bank refuses one that comes again with another body; and so is the day, because
 * it refuses all that are older than one. A customer whom nobody was sent to does no harm.
 */
function customerOf({ id, name: legalName, slug, contactEmail }: PartnerRow, { clock, redirectUrl }: VerificationDeps) {
  const email = contactEmail ?? `${slug}@partners.invalid`
  const day = clock.now().toISOString().slice(0, 10)
  const key = bankKeyFor(`live-customer/${JSON.stringify([id, legalName, email, redirectUrl, day])}`)
  return { legalName, email, redirectUrl, key }
}
