// Computes a quote: the fee of a payout and the USDC that the wallet sends.
import { assert } from '../assert'
import { feeFor, type PayoutPrices } from '../invoices/fees'
import type { MicroUsdc, Pence } from '../money'
import { type GbpPerUsdNano, usdcSentFor } from '../rate'

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
