// What the one step of a return tells its workflow: ids and codes only, because all of it is in the history.
import type { PayoutStatus } from '../../domain/payouts/payout'

export interface ReturnRef {
  readonly payoutId: string
}

export interface ReturnStep {
  /** `waiting`: the bank is to be asked again. `over`: nothing is left to do, or nothing has come back. */
  readonly at: 'waiting' | 'over'
  readonly status: PayoutStatus
  /** A few words for people who look at the workflow. */
  readonly says: string
}

export interface PayoutReturnSteps {
  /** Asks the bank how the transfer of a completed payout stands, and books it. Safe to repeat, and beside itself. */
  pollReturn(payout: ReturnRef): Promise<ReturnStep>
}
