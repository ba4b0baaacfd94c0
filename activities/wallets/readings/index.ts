// The steps that read wallets, bound to what they act upon.
import type { WalletReadingActivities } from '../../../workflows/wallets/reading'
import type { WalletReadingsActivities } from '../../../workflows/wallets/readings'
import { readWallet, type WalletReadingDeps } from './read-wallet'
import { readWallets } from './read-wallets'

export type { WalletReadingDeps } from './read-wallet'

export function createWalletReadingSteps(deps: WalletReadingDeps): WalletReadingActivities & WalletReadingsActivities {
  return {
    readWallet: ({ walletId }) => readWallet(deps, walletId),
    readWallets: (page) => readWallets(deps, page),
  }
}
