// Money is a bigint in minor units internally and a decimal string at the boundaries. Each kind of rounding has its own
// function.
import { assert } from './assert'

/** Pounds sterling in hundredths. */
export type Pence = bigint
/** USDC in millionths, as the ledger stores it. */
export type MicroUsdc = bigint
/** Pounds sterling in millionths. Charges keep this precision until their invoice line is rounded. */
export type Micropounds = bigint

/** The pattern of a MoneyString, for JSON schemas. */
export const moneyPattern = String.raw`^\d+\.\d{2}$`

/** Twelve digits, a point and two decimals. In millionths, this is below PostgreSQL's largest bigint. */
export const moneyMaxLength = 15

/**
 * Returns the pattern of a MoneyString from `least` to `most`, both in hundredths. Accepts leading zeros, which do
 * not change an amount.
 */
export function moneyRangePattern(least: bigint, most: bigint): string {
  assert(least <= most, 'a range must not be empty')
  const first = formatHundredths(least)
  const last = formatHundredths(most)
  if (first.length === last.length) return `^0*${digitsBetween(first, last)}$`
  const shortest = digitsBetween(first, withNines(first))
  const longest = digitsBetween(withZeros(last).replace('0', '1'), last)
  const pounds = { first: first.length - 3, last: last.length - 3 }
  const isGap = pounds.last - pounds.first > 1
  const between = isGap ? [String.raw`[1-9]\d{${pounds.first},${pounds.last - 2}}\.\d{2}`] : []
  return `^0*(?:${[shortest, ...between, longest].join('|')})$`
}

export const microUsdcPerCent = 10_000n
const micropoundsPerPenny = 10_000n

/** Returns null if the text is not a MoneyString of at most moneyMaxLength characters. */
export function parsePence(text: string): Pence | null {
  // Checks the length first, so that a megabyte of digits is rejected immediately.
  if (text.length > moneyMaxLength || !moneyExpression.test(text)) return null
  return BigInt(text.replace('.', ''))
}

export function formatPence(pence: Pence): string {
  return formatHundredths(pence)
}

export function parseUsdc(text: string): MicroUsdc | null {
  const cents = parsePence(text)
  return cents === null ? null : cents * microUsdcPerCent
}

/** Formats an amount that must be shown exactly, such as a debit. */
export function formatUsdc(microUsdc: MicroUsdc): string {
  assert(microUsdc % microUsdcPerCent === 0n, 'an exact USDC amount must be in whole hundredths')
  return formatHundredths(microUsdc / microUsdcPerCent)
}

/** Formats a balance. Rounds down, so that it never shows more money than there is. */
export function formatUsdcDown(microUsdc: MicroUsdc): string {
  return formatHundredths(divideDown(microUsdc, microUsdcPerCent))
}

/** Formats a signed amount, exact to the millionth, for columns that must add up. Uses two decimals if they suffice. */
export function formatUsdcExactly(microUsdc: MicroUsdc): string {
  return microUsdc < 0n ? `-${formatMicropounds(-microUsdc)}` : formatMicropounds(microUsdc)
}

/** Formats with two decimals: pence as pounds, cents as USDC, basis points as per cent. */
export function formatHundredths(hundredths: bigint): string {
  assert(hundredths >= 0n, 'an amount to show must not be negative')
  const digits = hundredths.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Rounds the sum of an invoice line half up to the penny. */
export function penceFromMicropounds(micropounds: Micropounds): Pence {
  return divideHalfUp(micropounds, micropoundsPerPenny)
}

export function micropoundsFromPence(pence: Pence): Micropounds {
  return pence * micropoundsPerPenny
}

/** Formats pounds with as many decimals as needed, at least two: 15.00, 0.0198. */
export function formatMicropounds(micropounds: Micropounds): string {
  assert(micropounds >= 0n, 'an amount to show must not be negative')
  const digits = micropounds.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, '')}`
}

/** Returns null if the text is not an amount in pounds with two to six decimals. */
export function parseMicropounds(text: string): Micropounds | null {
  if (text.length > moneyMaxLength + 4 || !/^\d+\.\d{2,6}$/.test(text)) return null
  const [pounds = '', parts = ''] = text.split('.')
  return BigInt(pounds + parts.padEnd(6, '0'))
}

export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  assertDivisible(dividend, divisor)
  return (2n * dividend + divisor) / (2n * divisor)
}

export function divideUp(dividend: bigint, divisor: bigint): bigint {
  assertDivisible(dividend, divisor)
  return (dividend + divisor - 1n) / divisor
}

export function divideDown(dividend: bigint, divisor: bigint): bigint {
  assertDivisible(dividend, divisor)
  return dividend / divisor
}

/**
 * Returns one pattern that matches every amount from `low` to `high`. Both must have the same number of digits and the
 * decimal point in the same place.
 */
function digitsBetween(low: string, high: string): string {
  if (low === withZeros(low) && high === withNines(high)) return anyDigits(low)
  const [from, to] = [low.slice(0, 1), high.slice(0, 1)]
  const [restOfLow, restOfHigh] = [low.slice(1), high.slice(1)]
  if (from === to) return `${from === '.' ? String.raw`\.` : from}${digitsBetween(restOfLow, restOfHigh)}`
  const isLowWhole = restOfLow === withZeros(restOfLow)
  const isHighWhole = restOfHigh === withNines(restOfHigh)
  const wholeFrom = BigInt(from) + (isLowWhole ? 0n : 1n)
  const wholeTo = BigInt(to) - (isHighWhole ? 0n : 1n)
  const choices = [
    ...(isLowWhole ? [] : [`${from}${digitsBetween(restOfLow, withNines(restOfLow))}`]),
    ...(wholeFrom > wholeTo ? [] : [`${digitFrom(wholeFrom, wholeTo)}${anyDigits(restOfLow)}`]),
    ...(isHighWhole ? [] : [`${to}${digitsBetween(withZeros(restOfHigh), restOfHigh)}`]),
  ]
  return choices.length === 1 ? choices.join() : `(?:${choices.join('|')})`
}

function digitFrom(first: bigint, last: bigint): string {
  return first === last ? String(first) : `[${first}-${last}]`
}

function anyDigits(text: string): string {
  return text.replaceAll(/\d+|\./g, (part) => (part === '.' ? String.raw`\.` : String.raw`\d{${part.length}}`))
}

function withZeros(text: string): string {
  return text.replaceAll(/\d/g, '0')
}

function withNines(text: string): string {
  return text.replaceAll(/\d/g, '9')
}

const moneyExpression = new RegExp(moneyPattern)

// "Up" and "half up" are ambiguous below zero, so negative values are rejected.
function assertDivisible(dividend: bigint, divisor: bigint): void {
  assert(dividend >= 0n, 'only a non-negative amount can be rounded')
  assert(divisor > 0n, 'the divisor must be positive')
}
