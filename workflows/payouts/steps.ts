// What the steps of a payout tell its workflow: ids, amounts and codes only, because all of it is in the history.
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Verdict } from '../../domain/payouts/verdict'

export interface PayoutRef {
  readonly payoutId: string
  readonly attempt: number
}

/** `unsent`: somebody was told about it, and the bank could not be asked yet. `unknown`: something may have been sent. `sent`: the bank has it. `over`: nothing is left to do. */
export interface Underway {
  readonly at: 'unsent' | 'unknown' | 'sent' | 'over'
  /** Unsent for so long that the bank's list is read first (`resolveSubmit`), before it is sent or its money goes back. */
  readonly needsLookup?: true
  readonly verdict: Verdict
  /** As the row has it, for who searches; `refused` when there is no payout after all. */
  readonly status: PayoutStatus | 'refused'
  /** A few words for people who look at the workflow. */
  readonly says: string
}

/** By our API, which has recorded who asked; or by whoever may use the Web UI, whom only Temporal knows. */
export type Cancelled = 'by update' | 'in Temporal'

/** The money is set aside and nothing was sent. */
export interface Held {
  readonly at: 'held'
}

export type Step = Held | Underway

export interface PayoutSteps {
  /** Sets the money aside once; a resumed run hears where the row stands instead. */
  debitPayout(payout: PayoutRef): Promise<Step>
  /** Registers the recipient and sends the transfer, within a second or two. */
  submitToRail(payout: PayoutRef): Promise<Underway>
  /** Wins where no call to the bank was started. Undecided, `needsLookup`, where `resolveSubmit` has to decide. */
  cancelPayout(payout: PayoutRef & { readonly how?: Cancelled }): Promise<Underway>
  /** Repeats the identical call, then looks the transfer up. With `cancel` it only decides that cancel, and sends nothing. */
  resolveSubmit(payout: PayoutRef & { readonly cancel?: Cancelled }): Promise<Underway>
  /** Asks the bank how the transfer stands and books it. */
  pollSettlement(payout: PayoutRef): Promise<Underway>
}
