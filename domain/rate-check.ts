// Checks an exchange rate: it must be fresh, close to the mid-market rate and close to the last accepted rate.
import { assert } from './assert'
import type { GbpPerUsdNano } from './rate'

export interface BankRate {
  /** The bank's sell rate, in GBP per USD. */
  readonly gbpPerUsdNano: GbpPerUsdNano
  readonly midNano: GbpPerUsdNano
  /** The time at which the bank last updated the rate. */
  readonly updatedAt: Date
}

export interface AcceptedRate {
  readonly gbpPerUsdNano: GbpPerUsdNano
  readonly acceptedAt: Date
}

export interface ExchangeRateLimits {
  readonly maxAgeMs: number
  /** The largest allowed distance from the mid-market rate. */
  readonly midBasisPoints: number
  /** The largest allowed distance from the last accepted rate, if that is less than a day old. */
  readonly jumpBasisPoints: number
}

export const rateRejections = ['unusable', 'stale', 'off_mid', 'jump'] as const

/**
 * `unusable`: the bank responded without a readable rate. `stale`: the rate is too old or dated in the future.
 * `off_mid`: it is too far from the mid-market rate. `jump`: it is too far from the last accepted rate, and otherwise
 * valid. An operator can accept only a jump.
 */
export type RateRejection = (typeof rateRejections)[number]

interface RateCheck {
  /** Null if the bank's response had no readable rate. */
  readonly rate: BankRate | null
  /** Null if no rate has been accepted yet. The first plausible rate is then accepted. */
  readonly last: AcceptedRate | null
  readonly limits: ExchangeRateLimits
  readonly now: Date
}

/** Returns null if the rate can be used. */
export function rateRejection({ rate, last, limits, now }: RateCheck): RateRejection | null {
  if (rate === null) return 'unusable'
  if (!isFresh(rate, limits, now)) return 'stale'
  if (!isWithin(rate.gbpPerUsdNano, rate.midNano, limits.midBasisPoints)) return 'off_mid'
  if (last === null) return null
  const allowed = allowedJumpBasisPoints(limits, now.getTime() - last.acceptedAt.getTime())
  return isWithin(rate.gbpPerUsdNano, last.gbpPerUsdNano, allowed) ? null : 'jump'
}

export function isFresh(
  { updatedAt }: Pick<BankRate, 'updatedAt'>,
  { maxAgeMs }: ExchangeRateLimits,
  now: Date,
): boolean {
  const ageMs = now.getTime() - updatedAt.getTime()
  return ageMs <= maxAgeMs && ageMs >= -clockSkewMs
}

/**
 * After a period without quotes, the market may have moved further, and a fixed limit would block every payout until an
 * operator acts. So the limit grows for each full day since the last accepted rate. An upper bound still rejects a rate
 * with a misplaced decimal point.
 */
export function allowedJumpBasisPoints({ jumpBasisPoints }: ExchangeRateLimits, sinceAcceptedMs: number): number {
  const fullDays = sinceAcceptedMs < dayMs ? 0 : (sinceAcceptedMs - (sinceAcceptedMs % dayMs)) / dayMs
  const largest = jumpBasisPoints > largestJumpBasisPoints ? jumpBasisPoints : largestJumpBasisPoints
  const grown = jumpBasisPoints * (1 + fullDays)
  return grown < largest ? grown : largest
}

/** Returns the distance between two rates in basis points, rounded up. */
export function basisPointsBetween(rate: GbpPerUsdNano, reference: GbpPerUsdNano): bigint {
  return (distance(rate, reference) * basisPoints + reference - 1n) / reference
}

/** Synchronised clocks differ by less than this. */
const clockSkewMs = 60_000
const dayMs = 86_400_000
const largestJumpBasisPoints = 2_500
const basisPoints = 10_000n

function isWithin(rate: GbpPerUsdNano, reference: GbpPerUsdNano, limitBasisPoints: number): boolean {
  assert(rate > 0n && reference > 0n, 'an exchange rate must be positive')
  return distance(rate, reference) * basisPoints <= BigInt(limitBasisPoints) * reference
}

function distance(one: GbpPerUsdNano, other: GbpPerUsdNano): bigint {
  return one > other ? one - other : other - one
}
