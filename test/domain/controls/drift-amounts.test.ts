// The drift texts for operators show amounts in USDC, and leave times, counts and names unchanged.
import { expect, test } from '@jest/globals'
import { formatDriftText } from '../../../domain/controls/drift'

test.each([
  ['set_sum', '0', '0.00 USDC'],
  ['set_sum', '-153300000', '-153.30 USDC'],
  ['set_sum', '2 entries of another wallet', '2 entries of another wallet'],
  ['bank_balance', '1234567', '1.234567 USDC'],
  ['transfer_without_payout', 'a payout', 'a payout'],
  ['wallet_balance', 'entries sum to 10000', 'entries sum to 0.01 USDC'],
  ['wallet_balance', 'balance 20000, last entry -10000', 'balance 0.02 USDC, last entry -0.01 USDC'],
  ['suspense_balance', 'held deposits of 0', 'held deposits of 0.00 USDC'],
  [
    'payout_ledger',
    'completed, sends 153300000, nothing in transit',
    'completed, sends 153.30 USDC, nothing in transit',
  ],
  [
    'payout_ledger',
    'wallet -153300000, in transit 0, paid out 153300000, 1 debits, 0 credits',
    'wallet -153.30 USDC, in transit 0.00 USDC, paid out 153.30 USDC, 1 debits, 0 credits',
  ],
  ['payout_row', 'of its wallet, live, sends 10000, pending', 'of its wallet, live, sends 0.01 USDC, pending'],
  ['booking_without_movement', '3 of them', '3 of them'],
  ['payout_without_transfer', '12345', '12345'],
  ['silent_payout', 'an update since 2026-11-15T12:00:00Z', 'an update since 2026-11-15T12:00:00Z'],
])('the %s drift %j is shown as %j', (kind, kept, shown) => {
  expect(formatDriftText(kind, kept)).toBe(shown)
})
