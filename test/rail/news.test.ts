// What the bank's word means to a payout as our books have it: every case of the table.
import { expect, test } from '@jest/globals'
import type { PayoutStatus } from '../../domain/payouts/payout'
import { type News, newsOf } from '../../rail/news'
import type { Standing } from '../../rail/rail'

const at = new Date('2026-11-15T12:00:00Z')
const closed = (status: PayoutStatus) => ({ status, transferRef: 'tr_1', releasedAt: null, closedAt: at })
const standings: readonly Standing[] = [
  'under_way',
  'delivered',
  'undeliverable',
  'returned',
  'refunded',
  'cancelled',
  'needs_people',
]

const expected: readonly (readonly [PayoutStatus, readonly News[]])[] = [
  ['completed', ['known', 'known', 'came_back', 'came_back', 'came_back', 'contradiction', 'came_back']],
  ['returned', ['known', 'known', 'known', 'known', 'known', 'known', 'known']],
  ['failed', ['known', 'contradiction', 'known', 'known', 'known', 'known', 'known']],
]

test.each(expected)('a payout that is over and %s', (status, news) => {
  const payout = closed(status)

  expect(standings.map((standing) => newsOf({ ref: 'tr_1', standing }, payout))).toEqual(news)
})

test.each([
  ['of another transfer', { ...closed('completed'), transferRef: 'tr_2' }],
  ['of one that was given back', { ...closed('pending'), releasedAt: at, transferRef: null }],
  ['of one that failed as never sent', { ...closed('failed'), transferRef: null }],
  ['of one that was cancelled', { ...closed('cancelled'), transferRef: null }],
])('a transfer %s contradicts our books, however it stands', (_, payout) => {
  for (const standing of standings) expect(newsOf({ ref: 'tr_1', standing }, payout)).toBe('contradiction')
})

test('a payout that is under way is asked about anyway', () => {
  for (const standing of standings) {
    expect(newsOf({ ref: 'tr_1', standing }, { ...closed('processing'), closedAt: null })).toBe('open')
  }
})
