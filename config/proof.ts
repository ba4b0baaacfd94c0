// How often, and how patiently, our books are compared.
import { dayMs, hourMs, minuteMs } from './durations'
import type { Reader } from './reader'

/** How often our books are compared with the bank's, and how patiently. */
export interface ProofConfig {
  readonly everyMs: number
  /** How old a deposit may be that is not booked. */
  readonly graceMs: number
  /** How long nothing must have moved in a wallet before its balance is judged. */
  readonly quietMs: number
  /** Between the two looks that must agree. */
  readonly pauseMs: number
}

export function readProof(read: Reader): ProofConfig {
  return {
    everyMs: read.integer('PROOF_EVERY_MS', 15 * minuteMs, 1_000, dayMs),
    graceMs: read.integer('PROOF_GRACE_MS', 30 * minuteMs, 0, dayMs),
    quietMs: read.integer('PROOF_QUIET_MS', 10_000, 0, hourMs),
    pauseMs: read.integer('PROOF_PAUSE_MS', 2_000, 0, minuteMs),
  }
}
