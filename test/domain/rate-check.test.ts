// A rate is accepted if and only if it is within the limits.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import {
  allowedJumpBasisPoints,
  basisPointsBetween,
  type ExchangeRateLimits,
  rateRejection,
} from '../../domain/rate-check'

const now = new Date('2026-11-15T12:00:00.000Z')
const minuteMs = 60_000
const dayMs = 86_400_000
const defaults: ExchangeRateLimits = { maxAgeMs: 15 * minuteMs, midBasisPoints: 200, jumpBasisPoints: 500 }

const rate = (gbpPerUsdNano: bigint, { midNano = gbpPerUsdNano, ageMs = 0 } = {}) => ({
  gbpPerUsdNano,
  midNano,
  updatedAt: new Date(now.getTime() - ageMs),
})
const accepted = (gbpPerUsdNano: bigint, agoMs = 0) => ({
  gbpPerUsdNano,
  acceptedAt: new Date(now.getTime() - agoMs),
})
const judge = (of: ReturnType<typeof rate> | null, last = accepted(790_000_000n)) =>
  rateRejection({ rate: of, last, limits: defaults, now })

test.each([
  ['the last accepted rate is accepted again', rate(790_000_000n), null],
  ['an unreadable rate is rejected as unusable', null, 'unusable'],
  ['a rate that is 15 minutes old is accepted', rate(790_000_000n, { ageMs: 15 * minuteMs }), null],
  ['a rate more than 15 minutes old is rejected as stale', rate(790_000_000n, { ageMs: 15 * minuteMs + 1 }), 'stale'],
  ['a rate one minute in the future is accepted', rate(790_000_000n, { ageMs: -minuteMs }), null],
  [
    'a rate more than one minute in the future is rejected as stale',
    rate(790_000_000n, { ageMs: -minuteMs - 1 }),
    'stale',
  ],
  ['a rate 2 % below mid-market is accepted', rate(784_000_000n, { midNano: 800_000_000n }), null],
  ['a rate more than 2 % below mid-market is rejected', rate(783_999_999n, { midNano: 800_000_000n }), 'off_mid'],
  ['a rate 2 % above mid-market is accepted', rate(816_000_000n, { midNano: 800_000_000n }), null],
  ['a rate more than 2 % above mid-market is rejected', rate(816_000_001n, { midNano: 800_000_000n }), 'off_mid'],
  ['a fall of 5 % is accepted', rate(750_500_000n), null],
  ['a fall of more than 5 % is rejected as a jump', rate(750_499_999n), 'jump'],
  ['a rise of 5 % is accepted', rate(829_500_000n), null],
  ['a rise of more than 5 % is rejected as a jump', rate(829_500_001n), 'jump'],
  ['0.079 instead of 0.79 is rejected as a jump', rate(79_000_000n), 'jump'],
  ['0.079 from ten days ago is rejected as stale', rate(79_000_000n, { ageMs: 10 * dayMs }), 'stale'],
])('%s', (_, of, rejection) => {
  expect(judge(of)).toBe(rejection)
})

test('without a last accepted rate, the first fresh rate near mid-market is accepted', () => {
  const first = (of: ReturnType<typeof rate>) => rateRejection({ rate: of, last: null, limits: defaults, now })

  expect(first(rate(650_000_000n))).toBeNull()
  expect(first(rate(650_000_000n, { midNano: 790_000_000n }))).toBe('off_mid')
})

test('the limit for a jump grows by 5% for each full day since the last accepted rate, up to 25%', () => {
  const after = (days: number) => allowedJumpBasisPoints(defaults, days * dayMs)

  expect([-1, 0, 0.99, 1, 2, 4, 400].map(after)).toEqual([500, 500, 500, 1_000, 1_500, 2_500, 2_500])
  expect(judge(rate(730_000_000n), accepted(790_000_000n, dayMs - 1))).toBe('jump')
  expect(judge(rate(730_000_000n), accepted(790_000_000n, dayMs))).toBeNull()
  expect(judge(rate(79_000_000n), accepted(790_000_000n, 10_000 * dayMs))).toBe('jump')
})

describe('for any rate and any limits', () => {
  const anyRate = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n })
  /** Generates rates so close to the limits that every outcome occurs often. */
  const near = (rate: bigint) => fc.bigInt({ min: -1_000n, max: 1_000n }).map((ppm) => rate + (rate * ppm) / 10_000n)
  const checks = anyRate.chain((mid) =>
    fc.record({
      rate: fc.record({
        gbpPerUsdNano: fc.oneof(near(mid), anyRate).filter((each) => each > 0n),
        midNano: fc.constant(mid),
        updatedAt: fc.integer({ min: -2 * 3_600_000, max: 300_000 }).map((ms) => new Date(now.getTime() + ms)),
      }),
      last: fc.record({
        gbpPerUsdNano: fc.oneof(near(mid), anyRate).filter((each) => each > 0n),
        acceptedAt: fc.integer({ min: -5 * dayMs, max: 0 }).map((ms) => new Date(now.getTime() + ms)),
      }),
      limits: fc.record({
        maxAgeMs: fc.integer({ min: minuteMs, max: 3_600_000 }),
        midBasisPoints: fc.integer({ min: 10, max: 1_000 }),
        jumpBasisPoints: fc.integer({ min: 50, max: 2_000 }),
      }),
    }),
  )

  test('an accepted rate is within every limit, and a rate within every limit is accepted', () => {
    const seen = new Set<unknown>()
    fc.assert(
      fc.property(checks, ({ rate, last, limits }) => {
        const ageMs = now.getTime() - rate.updatedAt.getTime()
        const days = Math.floor((now.getTime() - last.acceptedAt.getTime()) / dayMs)
        const allowed = Math.min(limits.jumpBasisPoints * (days + 1), 2_500)
        const isWithin =
          ageMs <= limits.maxAgeMs &&
          ageMs >= -minuteMs &&
          basisPointsBetween(rate.gbpPerUsdNano, rate.midNano) <= BigInt(limits.midBasisPoints) &&
          basisPointsBetween(rate.gbpPerUsdNano, last.gbpPerUsdNano) <= BigInt(allowed)
        const rejection = rateRejection({ rate, last, limits, now })
        seen.add(rejection)

        expect(rejection === null).toBe(isWithin)
      }),
      { numRuns: 5_000 },
    )

    expect(seen).toEqual(new Set([null, 'stale', 'off_mid', 'jump']))
  })
})
