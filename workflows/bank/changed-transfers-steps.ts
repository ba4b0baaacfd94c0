// What the look through a bank's changed transfers tells its workflow: counts.
import type { Environment } from '../../domain/environment'

export interface ChangedTransfers {
  readonly environment: Environment
}

export interface LookedThrough {
  /** Transfers that have changed at the bank. */
  readonly looked: number
  /** Completed payouts that may have come back: the bank is asked about each. */
  readonly returns: number
  readonly contradictions: number
  /** What could not be done this time; the log says why, and the next look tries again. */
  readonly failed: number
}

export interface ChangedTransfersSteps {
  /** Safe to repeat: what was started runs, and what people were told is told. */
  readChangedTransfers(order: ChangedTransfers): Promise<LookedThrough>
}
