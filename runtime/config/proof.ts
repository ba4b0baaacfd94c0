// How often, and how patiently, our books are compared.
import { dayMs, hourMs, minuteMs } from './durations'
import type { Reader } from './reader'

/** How often our books are compared with the bank's, and how patiently. */
export interface ProofConfig {
  readonly everyMs: number
  /** How old a deposit may be that is not booked. */
  readonly graceMs: number
  /** How far the balance that the bank tells may be behind its own movements. */
  readonly quietMs: number
  /** Between the two looks that must agree. */
  readonly pauseMs: number
  /** How often every row of a wallet's own books is verified, not only what changed since the checkpoint. */
  readonly fullEveryMs: number
  /** How long a wallet may go without having been compared. */
  readonly comparedWithinMs: number
}

export function readProof(read: Reader): ProofConfig {
  return {
    everyMs: read.integer('PROOF_EVERY_MS', 15 * minuteMs, 1_000, dayMs),
    graceMs: read.integer('PROOF_GRACE_MS', 30 * minuteMs, 0, dayMs),
    quietMs: read.integer('PROOF_QUIET_MS', 10_000, 0, hourMs),
    pauseMs: read.integer('PROOF_PAUSE_MS', 2_000, 0, minuteMs),
    fullEveryMs: read.integer('PROOF_FULL_EVERY_MS', dayMs, minuteMs, 7 * dayMs),
    comparedWithinMs: read.integer('PROOF_COMPARED_WITHIN_MS', 6 * hourMs, minuteMs, 7 * dayMs),
  }
}
