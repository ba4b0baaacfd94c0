// Loads the bank's exchange rate for a request. If the bank has no usable rate, throws an API error.
import type { RailName } from '../../domain/environment'
import { formatRate, type GbpPerUsdNano } from '../../domain/rate'
import { RailUnavailable } from '../../rail/rail'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'

export async function loadRate(
  rail: RailName,
  { rates }: ApiDeps,
  otherwise: 'provider_unavailable' | 'payout_not_created' = 'provider_unavailable',
): Promise<GbpPerUsdNano> {
  try {
    return await rates.of(rail)
  } catch (error) {
    if (error instanceof RailUnavailable) throw new ApiError(otherwise)
    throw error
  }
}

/** The JSON number is for display only. Calculations use the exact rate. */
export function presentRate(gbpPerUsdNano: GbpPerUsdNano): number {
  return Number(formatRate(gbpPerUsdNano))
}
