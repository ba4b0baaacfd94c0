// Exact arithmetic with amounts, which the API sends as strings such as "120.00".

/** The numbers of decimals that the API uses: two in most amounts, up to six in charges and wallet entries. */
const pattern = /^(-?)(\d{1,30})\.(\d{2,6})$/

export const money = {
  /** Adds amounts. The result has as many decimals as the most precise amount. */
  add: (first: string, ...rest: readonly string[]): string =>
    combine([first, ...rest], (units) => units.reduce((sum, unit) => sum + unit)),

  /** Returns `amount` minus `other`, which can be negative. */
  subtract: (amount: string, other: string): string =>
    combine([amount, other], ([from = 0n, taken = 0n]) => from - taken),

  /** Returns -1, 0 or 1, so it can sort amounts. */
  compare: (amount: string, other: string): -1 | 0 | 1 => {
    const difference = parse(money.subtract(amount, other)).units
    return difference === 0n ? 0 : difference < 0n ? -1 : 1
  },

  /** Converts "120.00" to 12000n. Throws instead of rounding an amount with fractions of a penny or cent. */
  toMinorUnits: (amount: string): bigint => {
    const { units, decimals } = parse(amount)
    const perMinorUnit = 10n ** BigInt(decimals - 2)
    if (units % perMinorUnit !== 0n) throw new RangeError('The amount has fractions of a minor unit.')
    return units / perMinorUnit
  },

  /** Converts 12000n to "120.00". */
  fromMinorUnits: (minorUnits: bigint): string => {
    if (typeof minorUnits !== 'bigint') throw new TypeError('Minor units are a bigint, such as 12000n.')
    return format(minorUnits, 2)
  },
}

function combine(amounts: readonly string[], calculate: (units: readonly bigint[]) => bigint): string {
  const parsed = amounts.map(parse)
  const decimals = parsed.reduce((most, amount) => Math.max(most, amount.decimals), 2)
  return format(calculate(parsed.map((amount) => amount.units * 10n ** BigInt(decimals - amount.decimals))), decimals)
}

function parse(amount: string): { units: bigint; decimals: number } {
  const [, sign, whole, fraction] = (typeof amount === 'string' && pattern.exec(amount)) || []
  if (whole === undefined || fraction === undefined) {
    throw new TypeError('An amount is a string with two to six decimals, such as "120.00".')
  }
  const units = BigInt(whole + fraction)
  return { units: sign === '-' ? -units : units, decimals: fraction.length }
}

function format(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
