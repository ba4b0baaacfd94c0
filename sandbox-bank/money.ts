// Money and rates are bigints in minor units internally and decimal strings in the protocol.

export type Cents = bigint
export type Pence = bigint
export type MicroUsdc = bigint
/** GBP per USD × 10⁹. */
export type RateNano = bigint

export const microPerCent = 10_000n
export const nanoPerOne = 1_000_000_000n

/** Accepts only plain digits with at most `places` decimals. Null for anything else. */
export function parseDecimal(text: string, places: number): bigint | null {
  // Checks the length first, so that a megabyte of digits is rejected immediately.
  const match = text.length <= 24 ? /^(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text) : null
  const fraction = match?.[2] ?? ''
  if (!match || fraction.length > places) return null
  return BigInt(`${match[1]}${fraction.padEnd(places, '0')}`)
}

export function formatDecimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** Formats the amount with two decimals, or with six if needed. */
export function formatUsdc(micro: MicroUsdc): string {
  return micro % microPerCent === 0n ? formatDecimal(micro / microPerCent, 2) : formatDecimal(micro, 6)
}

/** Whether the source amount covers the output amount at this rate. */
export function covers(source: Cents, output: Pence, rate: RateNano): boolean {
  return source * rate >= output * nanoPerOne
}

/** The bank's price for an output: the amount at this rate plus 1 %, rounded up to a cent. */
export function paddedSource(output: Pence, rate: RateNano): Cents {
  return divideUp(output * nanoPerOne * 101n, rate * 100n)
}

/** The amount at this rate without the 1 %, rounded up to a cent. */
export function exactSource(output: Pence, rate: RateNano): Cents {
  return divideUp(output * nanoPerOne, rate)
}

/** Converts pounds to USDC, rounded down to a cent. */
export function usdcFor(pounds: Pence, rate: RateNano): MicroUsdc {
  return ((pounds * nanoPerOne) / rate) * microPerCent
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
