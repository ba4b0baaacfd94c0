// The steps that read wallets, bound to what they act upon.
import type { WalletReadingSteps } from '../../../workflows/wallets/reading-steps'
import { readWallet, type WalletReadingDeps } from './read-wallet'
import { readWallets } from './read-wallets'

export type { WalletReadingDeps } from './read-wallet'

export function createWalletReadingSteps(deps: WalletReadingDeps): WalletReadingSteps {
  return {
    readWallet: ({ walletId }) => readWallet(deps, walletId),
    readWallets: (page) => readWallets(deps, page),
  }
}
