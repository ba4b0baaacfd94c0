// The details of a 402: how much a wallet lacks, in USDC and in GBP at the quote's rate.
import { assert } from '../assert'
import { divideDown, formatPence, formatUsdc, formatUsdcDown, type MicroUsdc, microUsdcPerCent } from '../money'
import { type GbpPerUsdNano, gbpCosting } from '../rate'

/** Requires that the balance is lower than the required amount. */
export function shortfallOf(
  requiredMicroUsdc: MicroUsdc,
  availableMicroUsdc: MicroUsdc,
  gbpPerUsdNano: GbpPerUsdNano,
): Record<string, string> {
  assert(requiredMicroUsdc > availableMicroUsdc, 'a wallet that covers a payout lacks nothing')
  // Rounded up, so that a top-up of the amount shown suffices.
  const missing = requiredMicroUsdc - divideDown(availableMicroUsdc, microUsdcPerCent) * microUsdcPerCent
  return {
    required_usdc: formatUsdc(requiredMicroUsdc),
    available_usdc: formatUsdcDown(availableMicroUsdc),
    shortfall_usdc: formatUsdc(missing),
    shortfall_approx_gbp: formatPence(gbpCosting(missing, gbpPerUsdNano)),
  }
}
