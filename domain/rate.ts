// The exchange rate in GBP per USD, as an integer in billionths, and conversions.
import { assert } from './assert'
import { divideDown, divideUp, type MicroUsdc, microUsdcPerCent, type Pence } from './money'

/** GBP per USD × 1,000,000,000. One USDC counts as one USD. */
export type GbpPerUsdNano = bigint

/** Returns null unless the text is a positive decimal of at most 9 digits on either side of the point. */
export function parseRate(text: string): GbpPerUsdNano | null {
  const match = text.length <= rateMaxLength ? rateExpression.exec(text) : null
  if (match === null) return null
  const [, whole = '', decimals = ''] = match
  const gbpPerUsdNano = BigInt(whole + decimals.padEnd(nanoDigits, '0'))
  return gbpPerUsdNano > 0n ? gbpPerUsdNano : null
}

/** Returns the shortest decimal that parseRate converts back to the same rate. */
export function formatRate(gbpPerUsdNano: GbpPerUsdNano): string {
  assertRate(gbpPerUsdNano)
  const digits = gbpPerUsdNano.toString().padStart(nanoDigits + 1, '0')
  const decimals = digits.slice(-nanoDigits).replace(/0+$/, '')
  const whole = digits.slice(0, -nanoDigits)
  return decimals === '' ? whole : `${whole}.${decimals}`
}

/** Rounds up to 0.01 USDC, so that the displayed amount equals the debit and always covers the amount in pounds. */
export function usdcSentFor(pence: Pence, gbpPerUsdNano: GbpPerUsdNano): MicroUsdc {
  assertRate(gbpPerUsdNano)
  return divideUp(pence * nano, gbpPerUsdNano) * microUsdcPerCent
}

/** Rounds down to the penny, so that a balance never shows more than it is worth. */
export function gbpWorthOf(microUsdc: MicroUsdc, gbpPerUsdNano: GbpPerUsdNano): Pence {
  assertRate(gbpPerUsdNano)
  return divideDown(microUsdc * gbpPerUsdNano, microUsdcPerCent * nano)
}

/** Rounds up to the penny, so that converting the result back at the same rate yields at least `microUsdc`. */
export function gbpCosting(microUsdc: MicroUsdc, gbpPerUsdNano: GbpPerUsdNano): Pence {
  assertRate(gbpPerUsdNano)
  return divideUp(microUsdc * gbpPerUsdNano, microUsdcPerCent * nano)
}

const nano = 1_000_000_000n
const nanoDigits = 9
const rateMaxLength = 19
const rateExpression = /^(0|[1-9]\d{0,8})(?:\.(\d{1,9}))?$/

function assertRate(gbpPerUsdNano: GbpPerUsdNano): void {
  assert(gbpPerUsdNano > 0n, 'an exchange rate must be positive')
}
