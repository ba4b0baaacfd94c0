// Formats amounts, times and codes from the API. Amounts remain strings, because floating point cannot represent them
// exactly.

/** "-12345.60" → "−12,345.60". */
export function grouped(amount: string): string {
  const [, sign = '', whole = '', rest = ''] = /^([-+]?)(\d+)(.*)$/.exec(amount) ?? []
  if (whole === '') return amount
  return `${sign === '-' ? '\u2212' : sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest}`
}

export function pounds(amount: string): string {
  return grouped(amount).replace(/^(\u2212|\+)?/, (sign) => `${sign}£`)
}

/** "0.99 GBP + 1.00%" → "£0.99 + 1.00%". */
export function priceWords(price: string): string {
  return price.replaceAll(/(\d[\d.]*) GBP/g, (_, amount: string) => pounds(amount))
}

/** Only for charts and comparisons. The result is never sent, and shown only where it is rounded. */
export function asFloat(amount: string): number {
  return Number(amount)
}

/** Adds amounts of pounds and pence exactly. */
export function sumOf(amounts: readonly string[]): string {
  const pence = amounts.reduce((sum, amount) => sum + BigInt(amount.replace('.', '')), 0n)
  return String(pence).padStart(3, '0').replace(/..$/, '.$&')
}

/**
 * Multiplies an amount exactly: "0.0198" × 100 → "1.98". The result has at least two decimals, like amounts from the
 * API.
 */
export function timesExactly(amount: string, count: number): string {
  const [whole = '', decimals = ''] = amount.split('.')
  const digits = String(BigInt(whole + decimals) * BigInt(count)).padStart(decimals.length + 1, '0')
  const point = digits.length - decimals.length
  return `${digits.slice(0, point)}.${digits.slice(point).replace(/0+$/, '').padEnd(2, '0')}`
}

/** Parses a typed amount into the API's format. Null if it is not an amount. */
export function asAmount(typed: string): string | null {
  const [, whole = '', pence = ''] = /^\s*£?\s*(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{0,2}))?\s*$/.exec(typed) ?? []
  if (whole === '') return null
  return `${whole.replaceAll(',', '').replace(/^0+(?=\d)/, '')}.${pence.padEnd(2, '0')}`
}

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const brief = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const shortMonth = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' })

export const momentWords = (iso: string) => moment.format(new Date(iso))
export const exactWords = (iso: string) => exact.format(new Date(iso))
/** For tables: omits the current year. */
export function briefWords(iso: string, at: Date): string {
  const isThisYear = new Date(iso).getFullYear() === at.getFullYear()
  return (isThisYear ? brief : moment).format(new Date(iso))
}
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
/** "18:47" today, otherwise with the day. */
export function clockWords(time: Date, at: Date): string {
  return (time.toDateString() === at.toDateString() ? clock : brief).format(time)
}
export const dayWords = (iso: string) => day.format(new Date(iso))
export const utcWords = (iso: string) =>
  `${new Date(iso)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`
const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' })
/** Such as "Europe/London (currently BST)". A list may show times in both summer and winter. */
export function zoneWords(at: Date): string {
  const name = zone.resolvedOptions().timeZone
  const short = zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value
  return short === name ? name : `${name} (currently ${short})`
}
/** Accepts "2026-10" and "2026-10-01". */
export const monthWords = (period: string) => month.format(new Date(`${period.slice(0, 7)}-01T00:00:00Z`))
/** "October 2026", or "August, September and October 2026" for several months. */
export function monthsWords(periods: readonly string[]): string {
  const years = new Set(periods.map((period) => period.slice(0, 4)))
  const words = periods.map(monthWords)
  const shown = years.size > 1 ? words : words.map((word, at) => (at < words.length - 1 ? word.slice(0, -5) : word))
  return list.format(shown)
}
const list = new Intl.ListFormat('en-GB')
const utcDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
/** The first day of the month after "2026-11-01": "1 December 2026". */
export function nextMonthDayWords(period: string): string {
  const [year = 0, ofYear = 0] = period.split('-').map(Number)
  return utcDay.format(Date.UTC(year, ofYear, 1))
}
export const shortMonthWords = (period: string) =>
  shortMonth.format(new Date(`${period.slice(0, 7)}-01T00:00:00Z`)).slice(0, 3)

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' })

export function agoWords(iso: string, at: Date): string {
  const seconds = Math.round((new Date(iso).getTime() - at.getTime()) / 1000)
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return unit === 'second' && Math.abs(seconds) < 45 ? 'just now' : relative.format(Math.trunc(seconds / size), unit)
}

const londonDay = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/London' })

/** Whole days since the due date in London's calendar, as finance counts them. Zero or less if it is not overdue. */
export function daysOverdue(due: string, at: Date): number {
  const [today, dueDay] = [at, new Date(due)].map((time) => Date.parse(londonDay.format(time)))
  return ((today ?? 0) - (dueDay ?? 0)) / 86_400_000
}

/** "invalid_account: The bank rejected the account details." → "The bank rejected the account details." */
export function reasonWords(reason: string): string {
  return reason.replace(/^[a-z_]+:\s*/, '')
}

/** "payout_fees" → "Payout fees". */
export function codeWords(code: string): string {
  const words = code.replaceAll(/[_.-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(String(count))} ${count === 1 ? one : many}`
}

/** Rounds a wait up: 45 → "45 seconds", 61 → "2 minutes". */
export function waitWords(seconds: number): string {
  return seconds < 60 ? plural(seconds, 'second') : plural(Math.ceil(seconds / 60), 'minute')
}

export const sortCodeWords = (digits: string) => digits.replace(/^(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3')

/** `by` is the actor of an event, as the API names it. */
export function whoWords(by: string): string {
  if (by === 'bank') return 'the bank'
  if (by === 'service' || by === 'system' || by.startsWith('ops:')) return 'us'
  return by.replace(/^key:/, 'API key ')
}
