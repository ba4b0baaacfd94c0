// domain/money.ts: parsing and formatting MoneyStrings, and rounding.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import {
  divideDown,
  divideHalfUp,
  divideUp,
  formatMicropounds,
  formatPence,
  formatUsdc,
  formatUsdcDown,
  micropoundsFromPence,
  moneyMaxLength,
  moneyPattern,
  moneyRangePattern,
  parseMicropounds,
  parsePence,
  parseUsdc,
  penceFromMicropounds,
} from '../../domain/money'

const largestPence = 99_999_999_999_999n
const largestBigintOfPostgres = 9_223_372_036_854_775_807n
const pence = fc.bigInt({ min: 0n, max: largestPence })

test('the pattern for a range accepts an amount, with or without leading zeros, if and only if it is in the range', () => {
  const small = fc.bigInt({ min: 0n, max: 20_000n })
  const zeros = fc.nat({ max: 3 }).map((count) => '0'.repeat(count))
  const near = (bound: bigint) => [bound - 1n, bound, bound + 1n].filter((amount) => amount >= 0n)

  for (const amounts of [small, pence]) {
    fc.assert(
      fc.property(amounts, amounts, amounts, zeros, (one, other, amount, prefix) => {
        const [least, most] = one < other ? [one, other] : [other, one]
        const pattern = new RegExp(moneyRangePattern(least, most))

        for (const each of [amount, ...near(least), ...near(most)]) {
          expect(pattern.test(prefix + formatPence(each))).toBe(each >= least && each <= most)
        }
      }),
      { numRuns: 1000 },
    )
  }
})

test.each(['1', '1.0', '1.000', '.50', '+1.00', '-1.00', '1,00', ' 1.00', '1.00\n', '1e2', '١.٠٠', '1x00', ''])(
  'the pattern for a range refuses %j',
  (text) => {
    expect(new RegExp(moneyRangePattern(0n, largestPence)).test(text)).toBe(false)
  },
)

describe('a MoneyString', () => {
  test.each([
    ['0.00', 0n],
    ['0.01', 1n],
    ['1.00', 100n],
    ['01.00', 100n],
    ['120.05', 12_005n],
    ['20000.00', 2_000_000n],
    ['999999999999.99', largestPence],
  ])('%j is read as pence', (text, expected) => {
    expect(parsePence(text)).toBe(expected)
  })

  test.each([
    '',
    ' ',
    '.',
    '1',
    '1.',
    '1.0',
    '.00',
    '1.000',
    '1,00',
    '1.0O',
    '1e3',
    '1e3.00',
    '-1.00',
    '+1.00',
    '--1.00',
    '0x1.00',
    ' 1.00',
    '1.00 ',
    '1.00\n',
    '\n1.00',
    '1.00\r',
    '1.00\u2028',
    '1\n.00',
    '1.00\0',
    '\0',
    '1_000.00',
    '1,000.00',
    '1.00.00',
    '１.00',
    '1.００',
    '١.00',
    '１２.３４',
    '１．00',
    'NaN',
    'Infinity',
    '£1.00',
    '1.00 GBP',
    '1.00n',
    '__proto__',
    '1000000000000.00',
  ])('%j is refused', (text) => {
    expect(parsePence(text)).toBeNull()
    expect(parseUsdc(text)).toBeNull()
  })

  test('with a million digits is refused', () => {
    const digits = '9'.repeat(1_000_000)

    expect([digits, `${digits}.00`, `${'0'.repeat(1_000_000)}1.00`].map(parsePence)).toEqual([null, null, null])
  })

  test('parses to the amount that it was formatted from: parse(format(x)) = x', () => {
    fc.assert(fc.property(pence, (x) => expect(parsePence(formatPence(x))).toBe(x)))
    fc.assert(fc.property(pence, (x) => expect(parseUsdc(formatUsdc(x * 10_000n))).toBe(x * 10_000n)))
  })

  test('always matches the pattern in the specification when it is formatted from an amount', () => {
    fc.assert(fc.property(pence, (x) => expect(formatPence(x)).toMatch(new RegExp(moneyPattern))))
    expect(moneyPattern).toBe('^\\d+\\.\\d{2}$')
  })

  test('is accepted if and only if it is well-formed and not too long', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[-+0-9.,e\n ]{0,20}$/),
      fc.stringMatching(/^\d{1,14}\.\d\d$/),
    )

    fc.assert(
      fc.property(texts, (text) => {
        const wellFormed = /^[0-9]+\.[0-9][0-9]$/.test(text) && text.length <= moneyMaxLength
        expect(parsePence(text) !== null).toBe(wellFormed)
      }),
    )
  })

  test('always fits into a bigint column when it is stored in millionths', () => {
    expect(parseUsdc('999999999999.99')).toBeLessThanOrEqual(largestBigintOfPostgres)
    expect(micropoundsFromPence(largestPence)).toBeLessThanOrEqual(largestBigintOfPostgres)
  })

  test('is never formatted from a negative amount', () => {
    expect(() => formatPence(-1n)).toThrow('must not be negative')
    expect(() => formatUsdc(-10_000n)).toThrow('must not be negative')
    expect(() => formatUsdcDown(-1n)).toThrow('non-negative')
  })
})

describe('USDC', () => {
  test('is parsed into millionths', () => {
    expect(parseUsdc('1.00')).toBe(1_000_000n)
    expect(parseUsdc('0.01')).toBe(10_000n)
  })

  test('is formatted exactly, or refused if it has a fraction of a cent', () => {
    expect(formatUsdc(152_530_000n)).toBe('152.53')
    expect(() => formatUsdc(152_530_001n)).toThrow('whole hundredths')
  })

  test('balances are rounded down to the cent', () => {
    expect(formatUsdcDown(1_009_999n)).toBe('1.00')
    expect(formatUsdcDown(1_010_000n)).toBe('1.01')
    expect(formatUsdcDown(9_999n)).toBe('0.00')
  })
})

describe('rounding', () => {
  test.each([
    [0n, 10n, 0n, 0n, 0n],
    [1n, 10n, 0n, 0n, 1n],
    [4n, 10n, 0n, 0n, 1n],
    [5n, 10n, 0n, 1n, 1n],
    [9n, 10n, 0n, 1n, 1n],
    [10n, 10n, 1n, 1n, 1n],
    [15n, 10n, 1n, 2n, 2n],
    [25n, 10n, 2n, 3n, 3n],
    [1n, 3n, 0n, 0n, 1n],
    [2n, 3n, 0n, 1n, 1n],
  ])('%d / %d is %d rounded down, %d half up, %d up', (dividend, divisor, down, halfUp, up) => {
    expect(divideDown(dividend, divisor)).toBe(down)
    expect(divideHalfUp(dividend, divisor)).toBe(halfUp)
    expect(divideUp(dividend, divisor)).toBe(up)
  })

  test('returns the nearest whole number in the given direction', () => {
    const numbers = fc.bigInt({ min: 0n, max: 10n ** 30n })
    const divisors = fc.oneof(fc.bigInt({ min: 1n, max: 20n }), fc.bigInt({ min: 1n, max: 10n ** 20n }))

    fc.assert(
      fc.property(numbers, divisors, (a, b) => {
        const down = divideDown(a, b)
        expect(down * b <= a && a < (down + 1n) * b).toBe(true)

        const up = divideUp(a, b)
        expect((up - 1n) * b < a && a <= up * b).toBe(true)

        const half = divideHalfUp(a, b)
        expect((2n * half - 1n) * b <= 2n * a && 2n * a < (2n * half + 1n) * b).toBe(true)
      }),
    )
  })

  test.each([divideDown, divideHalfUp, divideUp])('%p refuses a negative dividend or a divisor below 1', (divide) => {
    expect(() => divide(-1n, 10n)).toThrow('non-negative')
    expect(() => divide(1n, 0n)).toThrow('divisor')
    expect(() => divide(1n, -1n)).toThrow('divisor')
  })

  test('of micropounds rounds fractions of a penny half up and leaves whole pence unchanged', () => {
    expect(penceFromMicropounds(4_999n)).toBe(0n)
    expect(penceFromMicropounds(5_000n)).toBe(1n)
    fc.assert(fc.property(pence, (x) => expect(penceFromMicropounds(micropoundsFromPence(x))).toBe(x)))
  })
})

describe('an amount in micropounds', () => {
  test.each([
    [15_000_000n, '15.00'],
    [19_800n, '0.0198'],
    [1n, '0.000001'],
    [0n, '0.00'],
    [1_500_000n, '1.50'],
  ])('(%s) is formatted as %s, which parses to the same amount', (micropounds, text) => {
    expect(formatMicropounds(micropounds)).toBe(text)
    expect(parseMicropounds(text)).toBe(micropounds)
  })

  test.each(['1', '1.0', '1.0000001', '-1.00', '', '1e2', ' 1.00', '1.00\n'])('%j is refused', (text) => {
    expect(parseMicropounds(text)).toBeNull()
  })
})
