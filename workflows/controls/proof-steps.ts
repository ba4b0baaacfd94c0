// What the steps of the proof are told and tell: where a page begins, and counts.
import type { Environment } from '../../domain/environment'

export interface ProofPage {
  readonly environment: Environment
  /** The last wallet of the page before; null for the first page. */
  readonly after: string | null
  readonly limit: number
}

export interface Proved {
  readonly wallets: number
  /** What differs now, and what of it was not known before. */
  readonly drifts: number
  readonly fresh: number
  /** Wallets in which money moved all the while, so that their balance was not compared with the bank's. */
  readonly busy: number
  /** Wallets whose bank did not answer, or that could not be proved for another reason; the log says why. */
  readonly failed: number
}

/** Each only looks, and may be repeated. */
export interface ProofSteps {
  /** `next` is null on the last page. */
  proveWallets(page: ProofPage): Promise<Proved & { readonly next: string | null }>
  /** Finds payouts of which nothing was heard for too long; answers how many there are, and how many are new. */
  proveSilence(): Promise<{ readonly drifts: number; readonly fresh: number }>
  /** Mails ops what it was not told yet; answers how many drifts that were. */
  tellDrifts(): Promise<number>
}
