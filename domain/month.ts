// Billing months run from midnight to midnight in London and are written YYYY-MM.
import { assert } from './assert'

export type Month = string

export const monthPattern = String.raw`^[1-9]\d{3}-(0[1-9]|1[0-2])$`

export function parseMonth(text: string): Month | null {
  return monthExpression.test(text) ? text : null
}

export function nextMonth(month: Month): Month {
  return monthAt(indexOf(month) + 1n)
}

export function previousMonth(month: Month): Month {
  return monthAt(indexOf(month) - 1n)
}

/** For example "October 2026". */
export function monthInWords(month: Month): string {
  return `${names[month.slice(5)] ?? ''} ${month.slice(0, 4)}`
}

export function londonMonthOf(instant: Date): Month {
  return londonDayOf(instant).slice(0, 7)
}

/** Returns the date in London, as YYYY-MM-DD. */
export function londonDayOf(instant: Date): string {
  const parts = new Map(
    londonFormat()
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  )
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
}

/** Returns midnight in London on the first day of the month. */
export function startOf(month: Month): Date {
  const utc = new Date(`${firstDayOf(month)}T00:00:00.000Z`)
  const anHourBefore = new Date(utc.getTime() - hourMs)
  return londonMonthOf(anHourBefore) === month ? anHourBefore : utc
}

export function isOver(month: Month, now: Date): boolean {
  return londonMonthOf(now) > month
}

/** Returns a month as PostgreSQL stores it: its first day, as YYYY-MM-DD. */
export function firstDayOf(month: Month): string {
  return `${month}-01`
}

export function monthOfDay(day: string): Month {
  return day.slice(0, 7)
}

const monthExpression = new RegExp(monthPattern)
const hourMs = 3_600_000

let london: Intl.DateTimeFormat | undefined

/** Creates the format on first use, because loading time zone data is slow. */
function londonFormat(): Intl.DateTimeFormat {
  london ??= new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/London',
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return london
}

const names: Readonly<Record<string, string>> = {
  '01': 'January',
  '02': 'February',
  '03': 'March',
  '04': 'April',
  '05': 'May',
  '06': 'June',
  '07': 'July',
  '08': 'August',
  '09': 'September',
  '10': 'October',
  '11': 'November',
  '12': 'December',
}

function indexOf(month: Month): bigint {
  assert(monthExpression.test(month), 'a month must be written YYYY-MM')
  return BigInt(month.slice(0, 4)) * 12n + BigInt(month.slice(5)) - 1n
}

function monthAt(index: bigint): Month {
  return `${index / 12n}-${((index % 12n) + 1n).toString().padStart(2, '0')}`
}
