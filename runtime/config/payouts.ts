// A payout's intervals and deadlines, and those of who looks after payouts, cases and verifications.
import { dayMs, hourMs, minuteMs } from './durations'
import { isProduction } from './production'
import type { Reader } from './reader'

/** Every interval and deadline of a payout, so that tests run in milliseconds. */
export interface PayoutConfig {
  /** How long a caller is kept waiting for the verdict. */
  readonly answerTimeoutMs: number
  /** The pauses between two questions to the bank: the first, the second …, and from then on the last. */
  readonly pollMs: readonly number[]
  /** How long the identical call is repeated under one bank key: less than the bank remembers it for. */
  readonly repeatForMs: number
  /** How long after the first call a listing without the transfer proves that there is none. */
  readonly quietMs: number
  /** Each call while a caller waits, and its connection. */
  readonly briefCallMs: number
  readonly briefConnectMs: number
  /** Until then a call may begin while a caller waits, the first one and those to a bank that was busy: with the last of them everything is over one call's time later. */
  readonly answerWithinMs: number
  /** Each call that nobody waits for; below the 30 s that a poll has. */
  readonly patientCallMs: number
}

/** How often payouts without a workflow and sandboxes without a bank are looked for, how old a payout must be for that, and when it is overdue. */
export interface SweepConfig {
  readonly everyMs: number
  readonly olderThanMs: number
  /** How old a payout may be that the bank has and that is not over, before people are told. */
  readonly settleWithinMs: number
  /** The same for one of which nobody knows whether the bank has it. */
  readonly knownWithinMs: number
}

export interface CaseDueConfig {
  readonly recall: number
  readonly trace: number
}

export function readPayouts(read: Reader): PayoutConfig {
  const bounds = isProduction(read) ? bankBounds : testBounds
  return {
    answerTimeoutMs: read.integer('PAYOUT_ANSWER_MS', 8_000, 100, 60_000),
    pollMs: read.integers('PAYOUT_POLL_MS', [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000], 10, dayMs),
    repeatForMs: read.integer('PAYOUT_REPEAT_MS', 23 * hourMs, ...bounds.repeatForMs),
    quietMs: read.integer('PAYOUT_QUIET_MS', 600_000, ...bounds.quietMs),
    // Together a caller's calls stay well below the 5 s after which the server gives its workflow task to another worker.
    briefCallMs: read.integer('PAYOUT_CALL_MS', 1_000, 10, 3_000),
    briefConnectMs: read.integer('PAYOUT_CONNECT_MS', 500, 10, 3_000),
    answerWithinMs: read.integer('PAYOUT_WITHIN_MS', 1_500, 100, 3_000),
    patientCallMs: read.integer('PAYOUT_PATIENT_CALL_MS', 6_000, 10, 7_000),
  }
}

type Bounds = readonly [min: number, max: number]

/**
 * Where real money moves. At the end of both times a bank whose list lacks the transfer is believed, and the money goes back:
 * a call that the bank still works on by then would pay what was taken back.
 */
const bankBounds: Readonly<Record<'repeatForMs' | 'quietMs', Bounds>> = {
  // A list may be behind for a while, the identical call is not. The bank remembers a key for 24 h: a repeat after that pays anew.
  repeatForMs: [hourMs, 23 * hourMs],
  // A gateway gives up on a request after a minute, as a rule; our own calls end after 7 s.
  quietMs: [5 * minuteMs, dayMs],
}

/** Tests and stories wait for milliseconds, for a bank of their own. */
const testBounds: typeof bankBounds = { repeatForMs: [0, dayMs], quietMs: [0, dayMs] }

export function readSweep(read: Reader): SweepConfig {
  return {
    everyMs: read.integer('SWEEP_EVERY_MS', 60_000, 1_000, dayMs),
    olderThanMs: read.integer('SWEEP_OLDER_THAN_MS', 10_000, 0, dayMs),
    settleWithinMs: read.integer('PAYOUT_SETTLE_WITHIN_MS', 2 * hourMs, 1_000, 7 * dayMs),
    knownWithinMs: read.integer('PAYOUT_KNOWN_WITHIN_MS', 15 * minuteMs, 1_000, 7 * dayMs),
  }
}

export function readCaseDue(read: Reader): CaseDueConfig {
  return {
    recall: read.integer('CASE_RECALL_DUE_MS', 10 * dayMs, 1, 90 * dayMs),
    trace: read.integer('CASE_TRACE_DUE_MS', 5 * dayMs, 1, 90 * dayMs),
  }
}

/** Quick while people are at the bank's pages, and slower the longer they have left them. */
export function readVerificationPoll(read: Reader): readonly number[] {
  const pauses = [2_000, 5_000, 15_000, minuteMs, 5 * minuteMs, 30 * minuteMs, 3 * hourMs, 12 * hourMs, dayMs]
  return read.integers('VERIFICATION_POLL_MS', pauses, 10, dayMs)
}
