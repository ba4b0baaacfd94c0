// The steps of a verification, bound to what they act upon.
import type { VerificationSteps } from '../../../workflows/partners/verification-steps'
import { lookAtCustomer } from './customer'
import type { VerificationDeps } from './deps'
import { connectLiveWallet } from './wallet'

export function createVerificationSteps(deps: VerificationDeps): VerificationSteps {
  return {
    openLiveCustomer: ({ partnerId }) => lookAtCustomer(deps, partnerId),
    checkLiveCustomer: ({ partnerId }) => lookAtCustomer(deps, partnerId),
    connectLiveWallet: ({ partnerId }) => connectLiveWallet(deps, partnerId),
  }
}
