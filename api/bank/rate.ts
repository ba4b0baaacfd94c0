// The exchange rate of the bank for a request, or the error when there is none.
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

/** The API returns a JSON number. It is converted from the exact decimal only here, and never used in a calculation. */
export function presentRate(gbpPerUsdNano: GbpPerUsdNano): number {
  return Number(formatRate(gbpPerUsdNano))
}
