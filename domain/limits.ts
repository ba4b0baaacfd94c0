// Every limit of §8 by its name, and the patterns as texts that a JSON schema takes as they are.
import type { Pence } from './money'

export interface PayoutLimits {
  readonly minPence: Pence
  readonly maxPerPayoutPence: Pence
}

/** The widest range any account may have; an account's own may be narrower. */
export const payoutLimits: PayoutLimits = { minPence: 100n, maxPerPayoutPence: 2_000_000n }

export const sandboxFloatPence: Pence = 790_000n

export const countries = ['GB'] as const
export type Country = (typeof countries)[number]

export const keysPerEnvironment = 5
export const listLimit = { min: 1, max: 200, default: 50 } as const
export const activityListLength = 200

export const referenceMaxLength = 120
export const nameMinLength = 1
export const nameMaxLength = 80
export const regionMaxLength = 80
export const labelMaxLength = 60

export const idempotencyKeyPattern = String.raw`^[A-Za-z0-9_\-:.]{8,100}$`
export const slugPattern = '^[a-z0-9-]{2,40}$'
export const sortCodePattern = String.raw`^\d{6}$`
export const accountNumberPattern = String.raw`^\d{8}$`

export function isWithin(amountPence: Pence, limits: PayoutLimits): boolean {
  return amountPence >= limits.minPence && amountPence <= limits.maxPerPayoutPence
}

/** After this long without a visit or a movement, schedules no longer ask the bank about a sandbox. */
export const sandboxIdleAfterMs = 24 * 60 * 60 * 1000

/** Top-ups of test money. */
export const topUpsPerPartnerAndHour = 60

/** Three times as many as replacing every key takes. Each is a security event, so the number bounds that list. */
export const keysPerPartnerAndHour = 30
