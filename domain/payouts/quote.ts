// What a payout of some pounds costs and what its wallet would send for it (§2 Quote, design §4).
import { assert } from '../assert'
import { feeFor, type PayoutPrices } from '../invoices/fees'
import type { MicroUsdc, Pence } from '../money'
import { type GbpPerUsdNano, usdcSentFor } from '../rate'

export interface QuoteRequest {
  readonly amountPence: Pence
  readonly prices: PayoutPrices
  readonly gbpPerUsdNano: GbpPerUsdNano
}

export interface Quote {
  /** What the recipient receives. */
  readonly amountPence: Pence
  /** The whole fee: the two parts below it, summed. */
  readonly feePence: Pence
  readonly inTransferPence: Pence
  readonly onInvoicePence: Pence
  /** Whole hundredths of a USDC, so formatUsdc shows it exactly. */
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
