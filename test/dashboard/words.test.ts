// How the dashboard formats amounts, times and codes.
import { describe, expect, test } from '@jest/globals'
import { assert, bigInt, property } from 'fast-check'
import {
  agoWords,
  asAmount,
  codeWords,
  daysOverdue,
  grouped,
  monthsWords,
  nextMonthDayWords,
  pounds,
  priceWords,
  reasonWords,
  sumOf,
  timesExactly,
} from '../../dashboard/words'

describe('months', () => {
  test.each([
    [['2026-10'], 'October 2026'],
    [['2026-08', '2026-09', '2026-10'], 'August, September and October 2026'],
    [['2026-12', '2027-01'], 'December 2026 and January 2027'],
  ])('%j are shown as %s', (months, shown) => expect(monthsWords(months)).toBe(shown))

  test.each([
    ['2026-11-01', '1 December 2026'],
    ['2026-12-01', '1 January 2027'],
  ])('the month after %s starts on %s', (period, day) => expect(nextMonthDayWords(period)).toBe(day))
})

describe('amounts', () => {
  test.each([
    ['0.00', '0.00'],
    ['999.99', '999.99'],
    ['1000.00', '1,000.00'],
    ['1234567.891234', '1,234,567.891234'],
    ['-12345.60', '−12,345.60'],
    ['+250.00', '+250.00'],
  ])('%s is shown as %s', (amount, shown) => expect(grouped(amount)).toBe(shown))

  test.each([
    ['0.99 GBP + 1.00%', '£0.99 + 1.00%'],
    ['15.00 GBP', '£15.00'],
  ])('the price %s is shown as %s', (price, shown) => expect(priceWords(price)).toBe(shown))

  test('keep every digit', () => {
    assert(
      property(bigInt({ min: 0n, max: 10n ** 24n }), (pence) => {
        const amount = `${pence / 100n}.${String(pence % 100n).padStart(2, '0')}`
        expect(grouped(amount).replaceAll(',', '')).toBe(amount)
        expect(pounds(amount)).toBe(`£${grouped(amount)}`)
      }),
    )
  })

  test.each([
    [[], '0.00'],
    [['0.05'], '0.05'],
    [['839.00', '90071992547409.93', '0.09'], '90071992548249.02'],
  ])('%j add up to %s', (amounts, sum) => expect(sumOf(amounts)).toBe(sum))

  test.each([
    ['1.09', 3, '3.27'],
    ['0.0198', 100, '1.98'],
    ['0.0198', 1, '0.0198'],
    ['0.019801', 2, '0.039602'],
    ['0.00', 5, '0.00'],
    ['15.00', 1, '15.00'],
    ['90071992547409.931234', 3, '270215977642229.793702'],
  ])('%s × %d is %s', (amount, count, product) => expect(timesExactly(amount, count)).toBe(product))

  test.each([
    ['120', '120.00'],
    ['120.5', '120.50'],
    [' £1,250.07 ', '1250.07'],
    ['007.10', '7.10'],
    ['0', '0.00'],
  ])('an amount typed as "%s" is sent as %s', (typed, sent) => expect(asAmount(typed)).toBe(sent))

  test.each(['', 'abc', '1.234', '1,5', '12,34.00', '1e3', '-5', '１.00', '1 000', '.50', '1..0'])(
    '"%s" is not an amount',
    (typed) => expect(asAmount(typed)).toBeNull(),
  )
})

test.each([
  ['2026-11-15T06:00:00Z', '2026-11-15T23:59:59Z', 0],
  ['2026-11-15T06:00:00Z', '2026-11-16T00:00:00Z', 1],
  ['2026-10-15T06:00:00Z', '2026-10-15T23:00:00Z', 1],
  ['2026-10-20T06:00:00Z', '2026-10-30T12:00:00Z', 10],
  ['2026-11-20T06:00:00Z', '2026-11-16T12:00:00Z', -4],
])('an invoice due at %s is, at %s, overdue by %d London days', (due, at, days) =>
  expect(daysOverdue(due, new Date(at))).toBe(days),
)

test('a reason is shown without its code', () => {
  expect(reasonWords('invalid_account: The bank rejected the account details.')).toBe(
    'The bank rejected the account details.',
  )
  expect(codeWords('payout_fees')).toBe('Payout fees')
})

test.each([
  ['2026-11-15T11:59:40Z', 'just now'],
  ['2026-11-15T11:58:00Z', '2 minutes ago'],
  ['2026-11-15T09:00:00Z', '3 hours ago'],
  ['2026-11-14T09:00:00Z', 'yesterday'],
])('at noon, %s is shown as %s', (at, text) => expect(agoWords(at, new Date('2026-11-15T12:00:00Z'))).toBe(text))
