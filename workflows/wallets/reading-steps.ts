// What the steps that read wallets are told and tell: ids and counts.
import type { Environment } from '../../domain/environment'

export interface WalletRead {
  /** Deposits that were new. */
  readonly booked: number
  /** Those of them that nobody can explain yet. */
  readonly held: number
  /** Payouts that the bank is asked about, because they seem to have come back. */
  readonly returns: number
  /** What the bank would not say more about; the next reading asks again. */
  readonly unresolved: number
}

export interface WalletPage {
  readonly environment: Environment
  /** The last wallet of the page before; null for the first page, which begins where the reading before has stopped. */
  readonly after: string | null
  readonly limit: number
}

export interface WalletsRead extends WalletRead {
  readonly read: number
  /** Wallets that could not be read this time; the log says why, and the next reading tries again. */
  readonly failed: number
  /** Null on the last page, and where the bank answers nobody. */
  readonly next: string | null
}

/** Each may be repeated: what was booked is not booked again. */
export interface WalletReadingSteps {
  /** Books what is new in one wallet's history. */
  readWallet(wallet: { readonly walletId: string }): Promise<WalletRead>
  /** The same for a page of the wallets that are at a bank. */
  readWallets(page: WalletPage): Promise<WalletsRead>
}
