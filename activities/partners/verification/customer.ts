// The business as the bank's customer: opened once, and looked at as often as anybody wants to know.

import { lockPartner, type PartnerRow } from '../../../db/partners/partners'
import { findLiveWallet, type LiveWallet } from '../../../db/wallets/live'
import { assert } from '../../../domain/assert'
import type { PartnerToVerify, VerificationStanding } from '../../../workflows/partners/verification'
import { bankKeyFor } from '../../bank/idempotency-key'
import { type Asked, abandoned, refuse, storeStanding, type VerificationDeps } from './store'

/** Opens the customer unless that has already happened, and then reads its status at the bank. */
export function openLiveCustomer(
  deps: VerificationDeps,
  { partnerId }: PartnerToVerify,
): Promise<VerificationStanding> {
  return lookAtCustomer(deps, partnerId)
}

/** The same: the first of the two calls opens the customer. */
export function checkLiveCustomer(
  deps: VerificationDeps,
  { partnerId }: PartnerToVerify,
): Promise<VerificationStanding> {
  return lookAtCustomer(deps, partnerId)
}

export async function lookAtCustomer(deps: VerificationDeps, partnerId: string): Promise<VerificationStanding> {
  const { partner, wallet, asked } = await loadAsked(deps, partnerId)
  if (partner.status === 'closed') return abandoned(partner)
  const { verificationRef, walletRef } = wallet
  if (verificationRef === null) {
    // With a wallet that was connected by other means there is nothing that the bank could be asked for.
    if (walletRef !== null || !isBegun(partner)) return { status: partner.verificationStatus, ready: false }
    return openCustomer(deps, partner, asked)
  }
  const bank = await deps.rail.verification(verificationRef)
  const stored = await storeStanding(deps, { asked, bank, connection: null })
  // Somebody has begun anew meanwhile, with another customer.
  return stored ?? lookAtCustomer(deps, partnerId)
}

/**
 * Read under their lock: a workflow can be quicker than the commit of who has started it, and must not act upon a row that does
 * not say so, nor under the key of the try before.
 */
export async function loadAsked({ db }: VerificationDeps, partnerId: string) {
  const partner = await db.transaction((tx) => lockPartner(tx, partnerId))
  assert(partner !== null, 'only a partner can be verified')
  const wallet: LiveWallet | null = await findLiveWallet(db, partnerId)
  assert(wallet !== null, 'a partner must have a live wallet')
  const asked: Asked = { partnerId, tries: partner.verificationTries, verificationRef: wallet.verificationRef }
  return { partner, wallet, asked }
}

/** Two who open at once use one customer: the one that is stored first. */
async function openCustomer(deps: VerificationDeps, partner: PartnerRow, asked: Asked): Promise<VerificationStanding> {
  const opened = await deps.rail.openCustomer(customerOf(partner, deps))
  const stored =
    opened.outcome === 'opened'
      ? await storeStanding(deps, { asked, bank: opened.verification, connection: null })
      : await refuse(deps, asked, opened.code)
  return stored ?? lookAtCustomer(deps, partner.id)
}

function isBegun({ verificationStatus }: PartnerRow): boolean {
  return verificationStatus !== 'not_started' && verificationStatus !== 'rejected'
}

/**
 * What is asked for is in the key, because the bank refuses one that comes again with another body; and so is the try, because it
 * answers as before to one that comes again. Not the day: a customer whose answer was lost is found by the same key alone.
 */
function customerOf(partner: PartnerRow, { redirectUrl }: VerificationDeps) {
  const { id, name: legalName, slug, contactEmail, verificationTries } = partner
  const email = contactEmail ?? `${slug}@partners.invalid`
  const key = bankKeyFor(`live-customer/${JSON.stringify([id, legalName, email, redirectUrl, verificationTries])}`)
  return { legalName, email, redirectUrl, key }
}
