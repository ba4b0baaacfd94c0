// Approves a customer at a simulated bank, then does what the verification workflow does.

import { connectLiveWallet, openLiveCustomer } from '../../activities/partners/verification/customer'
import type { VerificationDeps } from '../../activities/partners/verification/store'
import { beginVerification } from '../../db/partners/verification'
import { findLiveWallet } from '../../db/wallets/live'
import { assert } from '../../domain/assert'
import type { SimulatedBank } from '../../rail/simulated-bank'
import type { VerificationStanding } from '../../workflows/partners/verification'

interface ApproveDeps extends VerificationDeps {
  readonly bank: Pick<SimulatedBank, 'approveCustomer'>
}

/** A repeated or concurrent call gets the same wallet. */
export async function approvePartner(deps: ApproveDeps, partnerId: string): Promise<VerificationStanding> {
  // As when an admin starts the verification. One that was started continues.
  await deps.db.transaction((tx) => beginVerification(tx, partnerId, deps.clock.now()))
  const opened = await openLiveCustomer(deps, { partnerId })
  if (opened.status === 'rejected') return opened
  const wallet = await findLiveWallet(deps.db, partnerId)
  assert(wallet !== null && wallet.customerRef !== null, 'a simulated bank opens a customer with its link')
  await deps.bank.approveCustomer(wallet.customerRef)
  return connectLiveWallet(deps, { partnerId })
}
