// The bank's rate for a request, and what a caller is told when there is none to be had.
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

/** §2 wants a JSON number: it is read from the exact decimal, here at the border, and never calculated with. */
export function presentRate(gbpPerUsdNano: GbpPerUsdNano): number {
  return Number(formatRate(gbpPerUsdNano))
}
