// The details of a 402: what a wallet lacks for a payout, in USDC and in pounds at the rate of the quote.
import { assert } from '../assert'
import { divideDown, formatPence, formatUsdc, formatUsdcDown, type MicroUsdc, microUsdcPerCent } from '../money'
import { type GbpPerUsdNano, gbpCosting } from '../rate'

/** Only for a wallet that does not cover what is required. */
export function shortfallOf(
  requiredMicroUsdc: MicroUsdc,
  availableMicroUsdc: MicroUsdc,
  gbpPerUsdNano: GbpPerUsdNano,
): Record<string, string> {
  assert(requiredMicroUsdc > availableMicroUsdc, 'a wallet that covers a payout lacks nothing')
  // Rounded up, so that a top-up of what is shown is enough.
  const missing = requiredMicroUsdc - divideDown(availableMicroUsdc, microUsdcPerCent) * microUsdcPerCent
  return {
    required_usdc: formatUsdc(requiredMicroUsdc),
    available_usdc: formatUsdcDown(availableMicroUsdc),
    shortfall_usdc: formatUsdc(missing),
    shortfall_approx_gbp: formatPence(gbpCosting(missing, gbpPerUsdNano)),
  }
}
