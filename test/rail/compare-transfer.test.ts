// compareTransfer for every combination of a transfer's status at the bank and its payout's status.
import { expect, test } from '@jest/globals'
import type { PayoutStatus } from '../../domain/payouts/payout'
import { compareTransfer, type TransferComparison } from '../../rail/compare-transfer'
import type { TransferStatus } from '../../rail/rail'

const at = new Date('2026-11-15T12:00:00Z')
const closed = (status: PayoutStatus) => ({ status, transferRef: 'tr_1', releasedAt: null, closedAt: at })
const statuses: readonly TransferStatus[] = [
  'under_way',
  'delivered',
  'undeliverable',
  'returned',
  'refunded',
  'cancelled',
  'needs_people',
]

const expected: readonly (readonly [PayoutStatus, readonly TransferComparison[]])[] = [
  ['completed', ['known', 'known', 'came_back', 'came_back', 'came_back', 'contradiction', 'came_back']],
  ['returned', ['known', 'known', 'known', 'known', 'known', 'known', 'known']],
  ['failed', ['known', 'contradiction', 'known', 'known', 'known', 'known', 'known']],
]

test.each(expected)('each transfer status is classified for a payout whose final status is %s', (status, news) => {
  const payout = closed(status)

  expect(statuses.map((status) => compareTransfer({ ref: 'tr_1', status }, payout))).toEqual(news)
})

test.each([
  ['of a payout that has another transfer', { ...closed('completed'), transferRef: 'tr_2' }],
  ['of a released payout', { ...closed('pending'), releasedAt: at, transferRef: null }],
  ['of a payout that failed without being sent', { ...closed('failed'), transferRef: null }],
  ['of a cancelled payout', { ...closed('cancelled'), transferRef: null }],
])('a transfer %s contradicts our ledger in any state', (_, payout) => {
  for (const status of statuses) expect(compareTransfer({ ref: 'tr_1', status }, payout)).toBe('contradiction')
})

test('a transfer of an open payout is not compared, because the payout is polled anyway', () => {
  for (const status of statuses) {
    expect(compareTransfer({ ref: 'tr_1', status }, { ...closed('processing'), closedAt: null })).toBe('open')
  }
})
