// Opens one customer at the bank for each business, reads its status, and connects its live wallet.

import { lockPartner, type PartnerRow } from '../../../db/partners/partners'
import { findLiveWallet, type LiveWallet, listPartnersToVerify } from '../../../db/wallets/live'
import { assert } from '../../../domain/assert'
import { isReady } from '../../../domain/partners/verification'
import { startUnlessRunning } from '../../../runtime/temporal/workflows'
import type { PartnerToVerify, VerificationState, VerificationsPage } from '../../../workflows/partners/verification'
import { starts } from '../../../workflows/starts'
import { type ActivityDeps, bankKeyFor } from '../../bind'
import { each } from '../../controls/sweep'
import { type Asked, abandoned, type Connection, refuse, storeVerification, type VerificationDeps } from './store'

/** Opens the customer on the first call. Later calls read its status at the bank. */
export function openLiveCustomer(deps: VerificationDeps, { partnerId }: PartnerToVerify): Promise<VerificationState> {
  return readCustomer(deps, partnerId)
}

/** Does the same as `openLiveCustomer`. */
export function checkLiveCustomer(deps: VerificationDeps, { partnerId }: PartnerToVerify): Promise<VerificationState> {
  return readCustomer(deps, partnerId)
}

async function readCustomer(deps: VerificationDeps, partnerId: string): Promise<VerificationState> {
  const { partner, wallet, asked } = await loadAsked(deps, partnerId)
  if (partner.status === 'closed') return abandoned(partner)
  const { verificationRef, walletRef } = wallet
  if (verificationRef === null) {
    // The bank has no verification for a wallet that an operator connected.
    if (walletRef !== null || !isBegun(partner)) return { status: partner.verificationStatus, ready: false }
    return openCustomer(deps, partner, asked)
  }
  const bank = await deps.rail.verification(verificationRef)
  const stored = await storeVerification(deps, { asked, bank, connection: null })
  // Null: the partner has restarted its verification, with another customer, since the bank was called.
  return stored ?? readCustomer(deps, partnerId)
}

/**
 * Reads the partner under its lock, because a workflow can start before the transaction that requested it commits.
 * Without the lock, the workflow would act on the old row and use the previous attempt's key.
 */
async function loadAsked({ db }: VerificationDeps, partnerId: string) {
  const partner = await db.transaction((tx) => lockPartner(tx, partnerId))
  assert(partner !== null, 'the partner row must exist')
  const wallet: LiveWallet | null = await findLiveWallet(db, partnerId)
  assert(wallet !== null, 'a partner must have a live wallet')
  const asked: Asked = { partnerId, tries: partner.verificationTries, verificationRef: wallet.verificationRef }
  return { partner, wallet, asked }
}

/** Two concurrent calls use the same customer: the first that was stored. */
async function openCustomer(deps: VerificationDeps, partner: PartnerRow, asked: Asked): Promise<VerificationState> {
  const opened = await deps.rail.openCustomer(customerOf(partner, deps))
  const stored =
    opened.outcome === 'opened'
      ? await storeVerification(deps, { asked, bank: opened.verification, connection: null })
      : await refuse(deps, asked, opened.code)
  return stored ?? readCustomer(deps, partner.id)
}

function isBegun({ verificationStatus }: PartnerRow): boolean {
  return verificationStatus !== 'not_started' && verificationStatus !== 'rejected'
}

/**
 * The key contains the request, because the bank refuses a key that is reused with another body. It contains the
 * attempt number, because the bank repeats its answer to a known key. It does not contain the date: if an answer was
 * lost, only a call with the same key finds the customer.
 */
function customerOf(partner: PartnerRow, { redirectUrl }: VerificationDeps) {
  const { id, name: legalName, slug, contactEmail, verificationTries } = partner
  const email = contactEmail ?? `${slug}@partners.invalid`
  const key = bankKeyFor(`live-customer/${JSON.stringify([id, legalName, email, redirectUrl, verificationTries])}`)
  return { legalName, email, redirectUrl, key }
}

/** Finds or creates the live wallet of a verified business at the bank, with its deposit address and bank funding. */
export async function connectLiveWallet(
  deps: VerificationDeps,
  { partnerId }: PartnerToVerify,
): Promise<VerificationState> {
  const { partner, wallet: known, asked } = await loadAsked(deps, partnerId)
  const isClosed = partner.status === 'closed'
  if (isClosed || known.verificationRef === null || known.fundingRef !== null) return readCustomer(deps, partnerId)
  const bank = await deps.rail.verification(known.verificationRef)
  const { customerRef } = bank
  const connection = customerRef !== null && isReady(bank) ? await connectionOf(deps, known, customerRef) : null
  const stored = await storeVerification(deps, { asked, bank, connection })
  return stored ?? readCustomer(deps, partnerId)
}

const chain = 'base'

/** Looks up each object before creating it, so that a call that is repeated on another day returns the same objects. */
async function connectionOf(
  { rail, clock }: VerificationDeps,
  { walletId, walletRef: connected }: LiveWallet,
  customerRef: string,
): Promise<Connection> {
  const day = clock.now().toISOString().slice(0, 10)
  const keyFor = (purpose: string) => bankKeyFor(`${purpose}/${walletId}/${customerRef}/${day}`)
  const known = connected ?? (await rail.wallets(customerRef)).find((wallet) => wallet.chain === chain)?.walletRef
  const walletRef = known ?? (await rail.createWallet({ customerRef, chain, key: keyFor('live-wallet') })).walletRef
  const refs = { customerRef, walletRef, chain }
  const address = await rail.depositAddress({ ...refs, key: keyFor(`live-address/${walletRef}`) })
  const funding = await rail.bankFunding({ ...refs, key: keyFor(`live-funding/${walletRef}`) })
  return { customerRef, walletRef, address, ...funding }
}

type StartDeps = Pick<ActivityDeps, 'db' | 'log' | 'temporal' | 'queuePrefix' | 'verificationPollMs' | 'banks'>

/** Starts a verification workflow for each business at the bank, unless one is already running. Runs daily. */
export async function startVerifications(deps: StartDeps, { after, limit }: VerificationsPage) {
  if (deps.banks.live === null) return { started: 0, next: null }
  const partners = await listPartnersToVerify(deps.db, { after, limit })
  const settings = { queuePrefix: deps.queuePrefix, pollMs: deps.verificationPollMs }
  // A running verification is not woken, because it polls the bank at its own interval.
  const start = (partnerId: string) => startUnlessRunning(deps.temporal, starts.verification(partnerId, settings))
  const { done } = await each(deps, partners, start, (partnerId) => ({ partner_id: partnerId }))
  const last = partners.length < limit ? undefined : partners.at(-1)
  return { started: done.filter((was) => was !== 'RUNNING').length, next: last ?? null }
}
