// Formats amounts, counts, dates and rates for emails and invoices: "£1,234.56", "1,000", "1 November 2026", "17.5%".
import { formatHundredths, formatMicropounds, formatPence, type Micropounds, type Pence } from '../domain/money'
import { monthInWords, monthOfDay } from '../domain/month'

export function pounds(pence: Pence): string {
  return `£${grouped(formatPence(pence))}`
}

export function unitPounds(micropounds: Micropounds): string {
  return `£${grouped(formatMicropounds(micropounds))}`
}

export function formatCount(quantity: number): string {
  return grouped(String(quantity))
}

export function dayInWords(day: string): string {
  return `${day.slice(8).replace(/^0/, '')} ${monthInWords(monthOfDay(day))}`
}

export function perCent(basisPoints: number): string {
  return `${formatHundredths(BigInt(basisPoints)).replace(/\.?0+$/, '')}%`
}

/** Uses a minus sign that is as wide as a digit. */
export function negative(amount: string): string {
  return `−${amount}`
}

/** Adds thousands separators: "5752.82" becomes "5,752.82". */
export function grouped(number: string): string {
  return number.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')
}
