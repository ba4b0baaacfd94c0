// The settings for payouts, wallets and reconciliation.
import { integer, integers } from './kinds'
import { setting } from './setting'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const intervalMs = integer(1_000, dayMs)
const overdueMs = integer(1_000, 7 * dayMs)

export const payouts = {
  PAYOUT_ANSWER_MS: setting(integer(100, 60_000), 8_000, 'How long the API waits for the outcome before it answers.'),
  // A bank needs a few seconds and reports the result by an event, so an earlier poll would usually find nothing.
  PAYOUT_POLL_MS: setting(
    integers(10, dayMs),
    [3_000, 5_000, 10_000, 30_000, 60_000, 300_000],
    'Intervals at which the bank is polled about a payout. The last interval repeats.',
  ),
  // The bank remembers an idempotency key for 24 h. A retry after that could pay a second time.
  PAYOUT_REPEAT_MS: {
    ...setting(
      integer(0, dayMs),
      23 * hourMs,
      'How long an identical request is repeated with the same idempotency key. Must be shorter than the time for which the bank keeps the key (24 h).',
    ),
    inProduction: integer(hourMs, 23 * hourMs),
  },
  // A gateway usually drops a request after a minute, and our own calls time out after at most 7 s.
  PAYOUT_QUIET_MS: {
    ...setting(
      integer(0, dayMs),
      10 * minuteMs,
      "Time after the last request at which the bank's list is conclusive. If the list then lacks the transfer, the payout is refunded. The bank must finish every request within this time.",
    ),
    inProduction: integer(5 * minuteMs, dayMs),
  },
  // All calls that are made while a caller waits must take well under 5 s in total. After 5 s, Temporal gives the
  // workflow task to another worker.
  PAYOUT_CALL_MS: setting(integer(10, 3_000), 1_000, 'Timeout for a call to the bank while the caller waits.'),
  PAYOUT_CONNECT_MS: setting(
    integer(10, 3_000),
    500,
    'Connection timeout for a call to the bank while the caller waits.',
  ),
  PAYOUT_WITHIN_MS: setting(
    integer(100, 3_000),
    1_500,
    'While the caller waits, no call to the bank starts after this time.',
  ),
  PAYOUT_PATIENT_CALL_MS: setting(
    integer(10, 7_000),
    6_000,
    'Timeout of a call to the bank while no caller waits. Must be below the timeout of a poll, which is 30 s.',
  ),
  PAYOUT_SETTLE_WITHIN_MS: setting(
    overdueMs,
    2 * hourMs,
    'A payout that was sent to the bank and is not final after this time needs attention.',
  ),
  PAYOUT_KNOWN_WITHIN_MS: setting(
    overdueMs,
    15 * minuteMs,
    'A payout whose outcome at the bank is unknown after this time needs attention.',
  ),
  SWEEP_EVERY_MS: setting(intervalMs, minuteMs, 'Interval of the sweep that finds payouts without a workflow.'),
  SWEEP_OLDER_THAN_MS: setting(integer(0, dayMs), 10_000, 'Minimum age of a payout that the sweep picks up.'),
  CASE_RECALL_DUE_MS: setting(integer(1, 90 * dayMs), 10 * dayMs, 'A recall is overdue after this time.'),
  CASE_TRACE_DUE_MS: setting(integer(1, 90 * dayMs), 5 * dayMs, 'A trace is overdue after this time.'),
  // Short at first, while users are probably still on the bank's pages, then longer. A bank event restarts the
  // sequence.
  VERIFICATION_POLL_MS: setting(
    integers(10, dayMs),
    [2_000, 5_000, 15_000, minuteMs, 5 * minuteMs, 30 * minuteMs, 3 * hourMs, 12 * hourMs, dayMs],
    'Intervals at which the bank is polled about a verification. The last interval repeats.',
  ),
  DEPOSIT_CONFIRM_ABOVE_USDC: setting(
    integer(0, 1_000_000),
    1_000,
    'A second operator must confirm the credit of a held live deposit above this amount. `0` means every deposit.',
  ),
  CLOSED_PARTNER_READ_DAYS: setting(
    integer(0, 3_650),
    90,
    'How long the admins of a closed partner may still sign in and read after `partner close`.',
  ),
  WALLET_READ_EVERY_MS: setting(
    intervalMs,
    5 * minuteMs,
    "Interval at which every wallet's history is read from the bank, with or without an event. Idle sandboxes are skipped.",
  ),
  PROOF_EVERY_MS: setting(intervalMs, 15 * minuteMs, 'Interval of the reconciliation of the ledger with the bank.'),
  PROOF_GRACE_MS: setting(
    integer(0, dayMs),
    30 * minuteMs,
    'A deposit at the bank that is older than this and not booked is a drift.',
  ),
  PROOF_QUIET_MS: setting(
    integer(0, hourMs),
    10_000,
    "How far the bank's balance may lag behind its own list of movements before the difference is a drift.",
  ),
  PROOF_PAUSE_MS: setting(
    integer(0, minuteMs),
    2_000,
    'Interval between the two comparisons that must agree on a drift.',
  ),
  PROOF_FULL_EVERY_MS: setting(
    integer(minuteMs, 7 * dayMs),
    dayMs,
    "Interval at which the reconciliation verifies every row of a wallet's ledger. In between it verifies the rows that changed.",
  ),
  PROOF_COMPARED_WITHIN_MS: setting(
    integer(minuteMs, 7 * dayMs),
    6 * hourMs,
    'A wallet that has not been compared with the bank for this long is a drift.',
  ),
}
