// Money as bigint minor units inside, MoneyString (§2) at the borders, and the three roundings, each by its name.
import { assert } from './assert'

/** Pounds sterling in hundredths. */
export type Pence = bigint
/** USDC in millionths, as the ledger keeps it. */
export type MicroUsdc = bigint
/** Pounds sterling in millionths: what a charge is kept in until its invoice line is rounded. */
export type Micropounds = bigint

/** The pattern of a MoneyString (§2), for JSON schemas. */
export const moneyPattern = String.raw`^\d+\.\d{2}$`

/** Twelve digits, a point and two: in millionths this is still below PostgreSQL's largest bigint. */
export const moneyMaxLength = 15

export const microUsdcPerCent = 10_000n
export const micropoundsPerPenny = 10_000n

/** Null when the text is not a MoneyString of at most moneyMaxLength characters. */
export function parsePence(text: string): Pence | null {
  // The length comes first, so that a megabyte of digits costs nothing.
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

/** For amounts that must be shown exactly, such as what a wallet sends. */
export function formatUsdc(microUsdc: MicroUsdc): string {
  assert(microUsdc % microUsdcPerCent === 0n, 'an exact USDC amount must be whole hundredths')
  return formatHundredths(microUsdc / microUsdcPerCent)
}

/** For balances: never shows more than is there (design §4). */
export function formatUsdcDown(microUsdc: MicroUsdc): string {
  return formatHundredths(divideDown(microUsdc, microUsdcPerCent))
}

/** For what must add up: to the last millionth, with its sign, and two decimals where they are enough. */
export function formatUsdcExactly(microUsdc: MicroUsdc): string {
  return microUsdc < 0n ? `-${formatMicropounds(-microUsdc)}` : formatMicropounds(microUsdc)
}

/** Two decimals: pence as pounds, cents as USDC, basis points as per cent. */
export function formatHundredths(hundredths: bigint): string {
  assert(hundredths >= 0n, 'an amount to show must not be negative')
  const digits = hundredths.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** An invoice line's sum of parts of a penny, half up to the penny. */
export function penceFromMicropounds(micropounds: Micropounds): Pence {
  return divideHalfUp(micropounds, micropoundsPerPenny)
}

export function micropoundsFromPence(pence: Pence): Micropounds {
  return pence * micropoundsPerPenny
}

/** Pounds with at least two decimals and no more than are needed: 15.00, 0.0198. */
export function formatMicropounds(micropounds: Micropounds): string {
  assert(micropounds >= 0n, 'an amount to show must not be negative')
  const digits = micropounds.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, '')}`
}

/** Null when the text is not pounds with two to six decimals. */
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

const moneyExpression = new RegExp(moneyPattern)

// Below zero "up" and "half up" have more than one meaning, so they have none here.
function assertDivisible(dividend: bigint, divisor: bigint): void {
  assert(dividend >= 0n, 'only what is not negative is rounded')
  assert(divisor > 0n, 'the divisor must be positive')
}
