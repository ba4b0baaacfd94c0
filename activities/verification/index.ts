// The steps of a verification, bound to what they act upon.
import type { VerificationSteps } from '../../workflows/verification-steps'
import { checkLiveCustomer, openLiveCustomer } from './customer'
import type { VerificationDeps } from './deps'
import { connectLiveWallet } from './wallet'

export function createVerificationSteps(deps: VerificationDeps): VerificationSteps {
  return {
    openLiveCustomer: ({ partnerId }) => openLiveCustomer(deps, partnerId),
    checkLiveCustomer: ({ partnerId }) => checkLiveCustomer(deps, partnerId),
    connectLiveWallet: ({ partnerId }) => connectLiveWallet(deps, partnerId),
  }
}
