// Connects a partner's sandbox to the sandbox bank. Each step is idempotent, even after the bank has forgotten the
// step's idempotency key.

import { recordActivity } from '../../db/controls/activity'
import { findPartnerById } from '../../db/partners/partners'
import { hasOpenPayouts } from '../../db/payouts/open'
import { bookDeposits } from '../../db/wallets/book-deposits'
import { reverseFloat } from '../../db/wallets/simulated'
import { connectWallet, lockWallet } from '../../db/wallets/wallets'
import { assert } from '../../domain/assert'
import { RailUnavailable, type Verification } from '../../rail/rail'
import type { Clock } from '../../runtime/clock'
import type { ConnectSandboxActivities, SandboxCustomer, SandboxRefs } from '../../workflows/wallets/connect-sandbox'
import { type ActivityDeps, bankKeyFor } from '../bind'
import { judgeHistory } from './readings/judge-history'

export interface ConnectSandboxDeps extends Pick<ActivityDeps, 'db' | 'clock'> {
  readonly rails: Pick<ActivityDeps['rails'], 'provider_sandbox'>
}

export async function openSandboxCustomer(
  { db, clock, rails: { provider_sandbox: rail } }: ConnectSandboxDeps,
  { partnerId }: Parameters<ConnectSandboxActivities['openSandboxCustomer']>[0],
): Promise<SandboxCustomer> {
  const partner = await findPartnerById(db, partnerId)
  assert(partner !== null, 'the partner row must exist')
  const { name: legalName } = partner
  // Uses a unique address, because the bank identifies customers by email and two partners may share an admin.
  const email = `${partnerId}@partners.invalid`
  const known = await rail.findCustomer(email)
  if (known !== null) return sandboxCustomerOf(known)
  const key = keyOfToday(clock, `sandbox-customer/${partnerId}/${legalName}`)
  const opened = await rail.openCustomer({ legalName, email, redirectUrl: null, key })
  // The address is unique, so the partner is not the reason for a refusal. Retry as if the bank were unavailable.
  if (opened.outcome === 'refused') throw new RailUnavailable(`open customer: ${opened.code}`)
  return sandboxCustomerOf(opened.verification)
}

export async function checkSandboxCustomer(
  { rails }: ConnectSandboxDeps,
  { verificationRef }: Parameters<ConnectSandboxActivities['checkSandboxCustomer']>[0],
): Promise<SandboxCustomer> {
  return sandboxCustomerOf(await rails.provider_sandbox.verification(verificationRef))
}

export async function createSandboxWallet(
  { clock, rails: { provider_sandbox: rail } }: ConnectSandboxDeps,
  { partnerId, customerRef }: Parameters<ConnectSandboxActivities['createSandboxWallet']>[0],
): ReturnType<ConnectSandboxActivities['createSandboxWallet']> {
  const known = (await rail.wallets(customerRef)).find((wallet) => wallet.chain === chain)
  const key = keyOfToday(clock, `sandbox-wallet/${partnerId}/${customerRef}`)
  const { walletRef, address } = known ?? (await rail.createWallet({ customerRef, chain, key }))
  return { walletRef, address }
}

/**
 * The key contains the request, because the bank refuses a key that is reused with another body. It also contains the
 * date, because the bank refuses keys older than a day. Objects created with an older key are looked up first.
 */
function keyOfToday(clock: Clock, purpose: string): string {
  return bankKeyFor(`${purpose}/${clock.now().toISOString().slice(0, 10)}`)
}

const chain = 'base'

/** While the wallet is locked no payout can start, so none is in progress during the switch to the sandbox bank. */
export async function connectSandboxWallet(
  { db, clock, rails }: ConnectSandboxDeps,
  refs: SandboxRefs,
): Promise<'connected' | 'busy'> {
  const rail = rails.provider_sandbox
  const history = await rail.walletHistory({ ...refs, after: null })
  return db.transaction(async (tx) => {
    const wallet = await lockWallet(tx, refs.partnerId, 'sandbox')
    if (wallet.rail !== 'simulated') return 'connected'
    if (await hasOpenPayouts(tx, wallet.id)) return 'busy'
    const at = clock.now()
    await reverseFloat(tx, wallet, at)
    const judged = await judgeHistory({ db: tx, rail }, { id: wallet.id, rail: 'provider_sandbox' }, history)
    await bookDeposits(tx, { wallet, judged, createdBy: 'bank', action: null, at })
    await connectWallet(tx, { ...refs, walletId: wallet.id, rail: 'provider_sandbox', at })
    const about = { partnerId: refs.partnerId, at, environment: 'sandbox', action: 'wallet.connect' } as const
    const made = { changes: 'something', status: null, madeBy: 'system', detail: null, requestId: null } as const
    await recordActivity(tx, [{ ...about, ...made }])
    return 'connected'
  })
}

function sandboxCustomerOf({ verificationRef, customerRef, providerStatus, paysGbp }: Verification): SandboxCustomer {
  return { verificationRef, customerRef, ready: providerStatus === 'approved' && paysGbp }
}
