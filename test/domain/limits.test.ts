// domain/limits.ts: limits and patterns.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import * as limits from '../../domain/limits'

describe('a payout amount', () => {
  test.each([
    [99n, false],
    [100n, true],
    [2_000_000n, true],
    [2_000_001n, false],
    [0n, false],
    [-100n, false],
  ])('of %d pence is within 1.00 to 20000.00: %s', (amount, expected) => {
    expect(limits.isWithin(amount, limits.payoutLimits)).toBe(expected)
  })

  test("is checked against the account's own limits", () => {
    const account = { minPence: 250n, maxPerPayoutPence: 500_000n }

    expect([249n, 250n, 500_000n, 500_001n].map((amount) => limits.isWithin(amount, account))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})

test('the limits match the specification', () => {
  expect(limits).toMatchObject({
    keysPerEnvironment: 5,
    listLimit: { min: 1, max: 200, default: 50 },
    activityListLength: 200,
    referenceMaxLength: 120,
    nameMinLength: 1,
    nameMaxLength: 80,
    regionMaxLength: 80,
    labelMaxLength: 60,
    countries: ['GB'],
    sandboxFloatPence: 790_000n,
  })
})

describe.each([
  {
    name: 'Idempotency-Key',
    pattern: limits.idempotencyKeyPattern,
    good: ['12345678', 'order-1001', 'a_b-c:d.E', 'x'.repeat(100)],
    bad: ['', '1234567', 'x'.repeat(101), 'order 1001', 'order/1001', 'ordér-1001', 'order-1001\n', 'order\\1001'],
  },
  {
    name: 'slug',
    pattern: limits.slugPattern,
    good: ['ab', 'acme-ltd', '-1', 'x'.repeat(40)],
    bad: ['a', 'x'.repeat(41), 'Acme', 'acme_ltd', 'acme\n', '../etc'],
  },
  {
    name: 'sort code',
    pattern: limits.sortCodePattern,
    good: ['040004', '000000'],
    bad: ['', '04004', '0400041', '04-00-04', '０40004', '040004\n', ' 040004'],
  },
  {
    name: 'account number',
    pattern: limits.accountNumberPattern,
    good: ['12345678', '00000000'],
    bad: ['', '1234567', '123456789', '1234567x', '١٢٣٤٥٦٧٨', '12345678\n'],
  },
])('the pattern for $name', ({ pattern, good, bad }) => {
  // JSON schema validators compile patterns with the `u` flag, and other code without it. Both must agree.
  test.each(['', 'u'])('accepts only well-formed values with flags %j', (flags) => {
    const expression = new RegExp(pattern, flags)

    expect(good.filter((text) => !expression.test(text))).toEqual([])
    expect(bad.filter((text) => expression.test(text))).toEqual([])
  })
})

describe.each([
  { name: 'line', strict: limits.linePattern, portable: limits.portableLinePattern },
  { name: 'visible line', strict: limits.visibleLinePattern, portable: limits.portableVisibleLinePattern },
  { name: 'mailed name', strict: limits.mailedNamePattern, portable: limits.portableVisibleLinePattern },
  { name: 'text with lines', strict: limits.linesPattern, portable: limits.portableLinesPattern },
])('the portable pattern of a $name', ({ strict, portable }) => {
  test.each(['', 'u'])('accepts everything that the strict one accepts, with flags %j', (flags) => {
    const [whole, published] = [new RegExp(strict, 'u'), new RegExp(portable, flags)]
    const samples = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.constant('\u00a0 Ada'))

    const isMissed = (text: string) => whole.test(text) && !published.test(text)

    fc.assert(
      fc.property(samples, (text) => expect(isMissed(text)).toBe(false)),
      { numRuns: 2_000 },
    )
  })

  test('refuses control characters', () => {
    expect(
      ['a\u0000', 'a\tb', 'a\u001fb', 'a\u007fb', '\u0085'].filter((text) => new RegExp(portable).test(text)),
    ).toEqual([])
  })
})
