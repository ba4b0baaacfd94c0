// The live wallet of a business that the bank lets pay: found or made there, with the two ways of money into it.
import type { LiveWallet } from '../../../db/wallets/live'
import { isReady } from '../../../domain/partners/verification'
import type { PartnerToVerify, VerificationStanding } from '../../../workflows/partners/verification'
import { bankKeyFor } from '../../bank/idempotency-key'
import { loadAsked, lookAtCustomer } from './customer'
import { type Connection, storeStanding, type VerificationDeps } from './store'

export async function connectLiveWallet(
  deps: VerificationDeps,
  { partnerId }: PartnerToVerify,
): Promise<VerificationStanding> {
  const { partner, wallet: known, asked } = await loadAsked(deps, partnerId)
  const isClosed = partner.status === 'closed'
  if (isClosed || known.verificationRef === null || known.fundingRef !== null) return lookAtCustomer(deps, partnerId)
  const bank = await deps.rail.verification(known.verificationRef)
  const { customerRef } = bank
  const connection = customerRef !== null && isReady(bank) ? await connectionOf(deps, known, customerRef) : null
  const stored = await storeStanding(deps, { asked, bank, connection })
  return stored ?? lookAtCustomer(deps, partnerId)
}

const chain = 'base'

/** Each is looked for before it is made, so that whoever repeats this, on whichever day, gets the same. */
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
