// Computes a quote (a payout's fee and the USDC that the wallet sends) and a wallet's shortfall.
import { assert } from '../assert'
import { feeFor, type PayoutPrices } from '../invoices/fees'
import {
  divideDown,
  formatPence,
  formatUsdc,
  formatUsdcDown,
  type MicroUsdc,
  microUsdcPerCent,
  type Pence,
} from '../money'
import { type GbpPerUsdNano, gbpCosting, usdcSentFor } from '../rate'

interface QuoteRequest {
  readonly amountPence: Pence
  readonly prices: PayoutPrices
  readonly gbpPerUsdNano: GbpPerUsdNano
}

export interface Quote {
  /** The amount the recipient receives. */
  readonly amountPence: Pence
  /** The total fee: the sum of the two parts below. */
  readonly feePence: Pence
  readonly inTransferPence: Pence
  readonly onInvoicePence: Pence
  /** A multiple of 0.01 USDC, so that formatUsdc shows it exactly. */
  readonly walletSendsMicroUsdc: MicroUsdc
  readonly gbpPerUsdNano: GbpPerUsdNano
}

export function quoteFor({ amountPence, prices, gbpPerUsdNano }: QuoteRequest): Quote {
  assert(amountPence > 0n, 'a quote must be for a positive amount')
  const fee = feeFor(amountPence, prices)
  return {
    amountPence,
    feePence: fee.totalPence,
    inTransferPence: fee.inTransferPence,
    onInvoicePence: fee.onInvoicePence,
    walletSendsMicroUsdc: usdcSentFor(amountPence + fee.inTransferPence, gbpPerUsdNano),
    gbpPerUsdNano,
  }
}

/**
 * Returns the details of a 402 response: the wallet's shortfall, in USDC and in GBP at the quote's rate. The balance
 * must be lower than the required amount.
 */
export function shortfallOf(
  requiredMicroUsdc: MicroUsdc,
  availableMicroUsdc: MicroUsdc,
  gbpPerUsdNano: GbpPerUsdNano,
): Record<string, string> {
  assert(requiredMicroUsdc > availableMicroUsdc, 'a wallet that covers a payout has no shortfall')
  // The shortfall is rounded up, so that a top-up of the displayed amount suffices.
  const missing = requiredMicroUsdc - divideDown(availableMicroUsdc, microUsdcPerCent) * microUsdcPerCent
  return {
    required_usdc: formatUsdc(requiredMicroUsdc),
    available_usdc: formatUsdcDown(availableMicroUsdc),
    shortfall_usdc: formatUsdc(missing),
    shortfall_approx_gbp: formatPence(gbpCosting(missing, gbpPerUsdNano)),
  }
}
