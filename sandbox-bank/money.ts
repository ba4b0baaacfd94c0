// Money and rates as bigint minor units inside, decimal strings on the wire.

export type Cents = bigint
export type Pence = bigint
export type MicroUsdc = bigint
/** GBP per USD × 10⁹. */
export type RateNano = bigint

export const microPerCent = 10_000n
export const nanoPerOne = 1_000_000_000n

/** Strict: plain digits with at most `places` after the point; null for anything else. */
export function parseDecimal(text: string, places: number): bigint | null {
  // The length comes first, so that a megabyte of digits costs nothing.
  const match = text.length <= 24 ? /^(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text) : null
  const fraction = match?.[2] ?? ''
  if (!match || fraction.length > places) return null
  return BigInt(`${match[1]}${fraction.padEnd(places, '0')}`)
}

export function formatDecimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** Two places, or as many of six as the amount needs. */
export function formatUsdc(micro: MicroUsdc): string {
  return micro % microPerCent === 0n ? formatDecimal(micro / microPerCent, 2) : formatDecimal(micro, 6)
}

/** Whether the source buys at least the output at this rate. */
export function covers(source: Cents, output: Pence, rate: RateNano): boolean {
  return source * rate >= output * nanoPerOne
}

/** What the bank itself would take for an output: the price at this rate and 1 % on top, rounded up to a cent. */
export function paddedSource(output: Pence, rate: RateNano): Cents {
  return divideUp(output * nanoPerOne * 101n, rate * 100n)
}

/** The price at this rate without padding, rounded up to a cent. */
export function exactSource(output: Pence, rate: RateNano): Cents {
  return divideUp(output * nanoPerOne, rate)
}

/** What pounds buy in USDC, rounded down to a cent. */
export function usdcFor(pounds: Pence, rate: RateNano): MicroUsdc {
  return ((pounds * nanoPerOne) / rate) * microPerCent
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
