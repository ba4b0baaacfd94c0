// Stands in for the bank's own people where it is make-believe: they say yes at once, and the steps of a verification do the rest.

import { beginVerification } from '../../db/partners/verification'
import { findLiveWallet } from '../../db/wallets/live'
import { assert } from '../../domain/assert'
import type { MakeBelieveBank } from '../../rail/make-believe'
import type { VerificationStanding } from '../../workflows/partners/verification'
import { openLiveCustomer } from './verification/customer'
import type { VerificationDeps } from './verification/store'
import { connectLiveWallet } from './verification/wallet'

export interface ApproveDeps extends VerificationDeps {
  readonly bank: Pick<MakeBelieveBank, 'approveCustomer'>
}

/** Whoever repeats it, or does it at the same time, gets the same wallet. */
export async function approvePartner(deps: ApproveDeps, partnerId: string): Promise<VerificationStanding> {
  // As an admin's click would; one that has begun goes on.
  await deps.db.transaction((tx) => beginVerification(tx, partnerId, deps.clock.now()))
  const opened = await openLiveCustomer(deps, { partnerId })
  if (opened.status === 'rejected') return opened
  const wallet = await findLiveWallet(deps.db, partnerId)
  assert(wallet !== null && wallet.customerRef !== null, 'a make-believe bank opens a customer with its link')
  await deps.bank.approveCustomer(wallet.customerRef)
  return connectLiveWallet(deps, { partnerId })
}
