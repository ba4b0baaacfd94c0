// The steps of the proof, bound to what they act upon.
import type { ProofSteps } from '../../../workflows/controls/proof-steps'
import type { ProofDeps, TellDeps } from './deps'
import { proveWallets } from './prove-wallets'
import { proveSilence } from './silence'
import { tellDrifts } from './tell'

export type { ProofDeps, ProofDepth, ProofPatience, TellDeps } from './deps'

export function createProofSteps(deps: ProofDeps & TellDeps): ProofSteps {
  return {
    proveWallets: (page) => proveWallets(deps, page, { idleSandboxes: 'skipped' }),
    proveSilence: () => proveSilence(deps),
    tellDrifts: () => tellDrifts(deps),
  }
}
