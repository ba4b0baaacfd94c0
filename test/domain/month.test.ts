// domain/month.ts: months in London time.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import {
  firstDayOf,
  isOver,
  londonDayOf,
  londonMonthOf,
  monthInWords,
  monthOfDay,
  nextMonth,
  parseMonth,
  previousMonth,
  startOf,
} from '../../domain/month'

describe('in London time,', () => {
  test.each([
    ['2027-03-31T22:59:59.999Z', '2027-03'],
    ['2027-03-31T23:00:00.000Z', '2027-04'],
    ['2027-10-31T23:59:59.999Z', '2027-10'],
    ['2027-11-01T00:00:00.000Z', '2027-11'],
    ['2026-10-31T23:30:00.000Z', '2026-10'],
    ['2026-09-30T23:30:00.000Z', '2026-10'],
    ['2026-09-30T22:59:59.999Z', '2026-09'],
    ['2026-12-31T23:59:59.999Z', '2026-12'],
    ['2028-02-29T12:00:00.000Z', '2028-02'],
  ])('%s is in %s', (instant, month) => {
    expect(londonMonthOf(new Date(instant))).toBe(month)
  })

  test('the start of a month is its first moment, and the moment before belongs to the previous month', () => {
    const months = fc.tuple(fc.integer({ min: 1996, max: 2100 }), fc.integer({ min: 1, max: 12 }))
    fc.assert(
      fc.property(months, ([year, of]) => {
        const month = `${year}-${String(of).padStart(2, '0')}`
        const start = startOf(month)

        expect(londonMonthOf(start)).toBe(month)
        expect(londonMonthOf(new Date(start.getTime() - 1))).toBe(previousMonth(month))
      }),
    )
    expect(startOf('2027-04').toISOString()).toBe('2027-03-31T23:00:00.000Z')
    expect(startOf('2027-11').toISOString()).toBe('2027-11-01T00:00:00.000Z')
  })

  test('a month is over once the next one has begun', () => {
    expect(isOver('2027-03', new Date('2027-03-31T22:59:59.999Z'))).toBe(false)
    expect(isOver('2027-03', new Date('2027-03-31T23:00:00.000Z'))).toBe(true)
  })
})

test('a day also begins at midnight in London', () => {
  expect(londonDayOf(new Date('2027-03-31T23:00:00Z'))).toBe('2027-04-01')
  expect(londonDayOf(new Date('2027-01-05T00:00:00Z'))).toBe('2027-01-05')
})

test('the next and the previous month can be in another year', () => {
  expect([nextMonth('2026-12'), nextMonth('2026-09'), previousMonth('2027-01'), previousMonth('2026-10')]).toEqual([
    '2027-01',
    '2026-10',
    '2026-12',
    '2026-09',
  ])
})

test('a month is formatted as text and as its first day', () => {
  expect([monthInWords('2026-10'), firstDayOf('2026-10'), monthOfDay('2026-10-01')]).toEqual([
    'October 2026',
    '2026-10-01',
    '2026-10',
  ])
})

test.each(['2026-13', '2026-00', '2026-1', '26-10', '2026-10-01', '', '2026-10\n', '０２０２６-10'])(
  '%j is not a month',
  (text) => {
    expect(parseMonth(text)).toBeNull()
    expect(() => nextMonth(text)).toThrow('YYYY-MM')
  },
)

test('a valid month parses to itself', () => {
  expect(parseMonth('2026-10')).toBe('2026-10')
})
