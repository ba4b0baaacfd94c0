// domain/rate.ts: the exchange rate as an integer, and its conversions.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { formatRate, gbpWorthOf, parseRate, usdcSentFor } from '../../domain/rate'

const rates = fc.bigInt({ min: 1n, max: 999_999_999_999_999_999n })
const likelyRates = fc.bigInt({ min: 400_000_000n, max: 1_500_000_000n })
const amounts = fc.bigInt({ min: 0n, max: 10n ** 12n })

describe('a rate', () => {
  test.each([
    ['0.7894', 789_400_000n, '0.7894'],
    ['0.79', 790_000_000n, '0.79'],
    ['0.790', 790_000_000n, '0.79'],
    ['1', 1_000_000_000n, '1'],
    ['1.0', 1_000_000_000n, '1'],
    ['10', 10_000_000_000n, '10'],
    ['0.000000001', 1n, '0.000000001'],
    ['999999999.999999999', 999_999_999_999_999_999n, '999999999.999999999'],
  ])('%s is parsed exactly and formatted with as few digits as possible', (text, nano, shown) => {
    expect(parseRate(text)).toBe(nano)
    expect(formatRate(nano)).toBe(shown)
  })

  test.each([
    '',
    '0',
    '0.0',
    '0.000000000',
    '-0.79',
    '+0.79',
    '.79',
    '0.',
    '0.7894000001',
    '0.1234567890',
    '00.79',
    '7.9e-1',
    '1e0',
    '0,79',
    ' 0.79',
    '0.79\n',
    '０.79',
    'NaN',
    'Infinity',
    '1000000000',
    '9'.repeat(20),
  ])('%j is refused', (text) => {
    expect(parseRate(text)).toBeNull()
  })

  test('is unchanged after formatting and parsing: parse(format(x)) = x', () => {
    fc.assert(fc.property(rates, (rate) => expect(parseRate(formatRate(rate))).toBe(rate)))
  })

  test('is unchanged after conversion to a JSON number and back', () => {
    fc.assert(fc.property(likelyRates, (rate) => expect(parseRate(String(Number(formatRate(rate))))).toBe(rate)))
  })

  test('that is not positive throws wherever it is used', () => {
    for (const rate of [0n, -1n]) {
      expect(() => formatRate(rate)).toThrow('must be positive')
      expect(() => usdcSentFor(100n, rate)).toThrow('must be positive')
      expect(() => gbpWorthOf(100n, rate)).toThrow('must be positive')
    }
  })
})

describe('the amount that the wallet sends', () => {
  test('is rounded up to 0.01 USDC', () => {
    expect(usdcSentFor(79n, 790_000_000n)).toBe(1_000_000n)
    expect(usdcSentFor(80n, 790_000_000n)).toBe(1_020_000n)
    expect(usdcSentFor(0n, 790_000_000n)).toBe(0n)
  })

  test('covers the amount in pounds, and one cent less would not', () => {
    const cent = 10_000n

    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 12n }), rates, (pence, rate) => {
        const sent = usdcSentFor(pence, rate)
        expect(sent % cent).toBe(0n)
        // Compares without rounding: micro-USDC × nano-rate with pence × 10^13.
        expect(sent * rate >= pence * 10n ** 13n).toBe(true)
        expect((sent - cent) * rate < pence * 10n ** 13n).toBe(true)
      }),
    )
  })

  test('never falls when the amount rises or the pound becomes more expensive', () => {
    fc.assert(
      fc.property(amounts, amounts, likelyRates, likelyRates, (a, b, rate, otherRate) => {
        const [less, more] = a < b ? [a, b] : [b, a]
        const [dear, cheap] = rate < otherRate ? [rate, otherRate] : [otherRate, rate]
        expect(usdcSentFor(less, rate) <= usdcSentFor(more, rate)).toBe(true)
        expect(usdcSentFor(a, dear) >= usdcSentFor(a, cheap)).toBe(true)
      }),
    )
  })
})

describe('the value of USDC', () => {
  test('is rounded down to the penny', () => {
    expect(gbpWorthOf(10_000_000_000n, 790_000_000n)).toBe(790_000n)
    expect(gbpWorthOf(1_019_999n, 790_000_000n)).toBe(80n)
    expect(gbpWorthOf(12_658n, 790_000_000n)).toBe(0n)
    expect(gbpWorthOf(12_659n, 790_000_000n)).toBe(1n)
  })

  test('is at least the amount in pounds that it was sent for', () => {
    fc.assert(
      fc.property(amounts, rates, (pence, rate) =>
        expect(gbpWorthOf(usdcSentFor(pence, rate), rate)).toBeGreaterThanOrEqual(pence),
      ),
    )
  })

  test('never exceeds the amount in pounds that the same USDC can pay out', () => {
    fc.assert(
      fc.property(amounts, likelyRates, (cents, rate) => {
        const balance = cents * 10_000n
        expect(usdcSentFor(gbpWorthOf(balance, rate), rate) <= balance).toBe(true)
      }),
    )
  })
})
