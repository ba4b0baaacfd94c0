// A partner's price list, the fee of one payout split into its two parts, and prices in words (§1, design §4).
import { assert } from '../assert'
import { divideHalfUp, formatHundredths, formatPence, type Micropounds, type Pence } from '../money'

/** A hundredth of one per cent. */
export type BasisPoints = bigint

export interface PriceList {
  readonly payoutFixedPence: Pence
  readonly payoutBasisPoints: BasisPoints
  readonly bankFixedPence: Pence
  readonly bankBasisPoints: BasisPoints
  readonly monthlyAccountPence: Pence
  readonly verificationPence: Pence
  /** What one payout costs on the network where the bank's receipt names no cost. */
  readonly networkCostMicropounds: Micropounds
  readonly networkMarkupBasisPoints: BasisPoints
  readonly exceptionMarkupBasisPoints: BasisPoints
  /** What a return costs where the bank names no cost. */
  readonly returnCostMicropounds: Micropounds
}

/** What feeFor reads of a price list. */
export type PayoutPrices = Pick<
  PriceList,
  'payoutFixedPence' | 'payoutBasisPoints' | 'bankFixedPence' | 'bankBasisPoints'
>

export interface Fee {
  readonly totalPence: Pence
  /** The bank's share: sent by the wallet on top of the recipient's amount. */
  readonly inTransferPence: Pence
  readonly onInvoicePence: Pence
}

export function feeFor(amountPence: Pence, prices: PayoutPrices): Fee {
  assert(prices.payoutFixedPence >= 0n && prices.bankFixedPence >= 0n, 'a price must not be negative')
  const totalPence = prices.payoutFixedPence + shareOf(amountPence, prices.payoutBasisPoints)
  const bankPence = prices.bankFixedPence + shareOf(amountPence, prices.bankBasisPoints)

  // A price list may be cheaper than the bank for small amounts; the invoice must not turn into a debt to the partner.
  const inTransferPence = bankPence < totalPence ? bankPence : totalPence
  return { totalPence, inTransferPence, onInvoicePence: totalPence - inTransferPence }
}

/** Cost plus the mark-up, exact to the micropound; the price list's cost where the bank names none. */
export function networkFeeFor(
  costMicropounds: Micropounds | null,
  prices: Pick<PriceList, 'networkCostMicropounds' | 'networkMarkupBasisPoints'>,
): Micropounds {
  const cost = costMicropounds ?? prices.networkCostMicropounds
  return cost + divideHalfUp(cost * prices.networkMarkupBasisPoints, 10_000n)
}

/** What the bank took for a return, a recall or a trace, plus the mark-up. */
export function exceptionFeeFor(
  costMicropounds: Micropounds,
  { exceptionMarkupBasisPoints }: Pick<PriceList, 'exceptionMarkupBasisPoints'>,
): Micropounds {
  return costMicropounds + divideHalfUp(costMicropounds * exceptionMarkupBasisPoints, 10_000n)
}

/** "0.99 GBP + 1.00%" */
export function describePayoutPrice(prices: Pick<PriceList, 'payoutFixedPence' | 'payoutBasisPoints'>): string {
  return `${formatPence(prices.payoutFixedPence)} GBP + ${formatHundredths(prices.payoutBasisPoints)}%`
}

/** "15.00 GBP" */
export function describeMonthlyPrice(prices: Pick<PriceList, 'monthlyAccountPence'>): string {
  return `${formatPence(prices.monthlyAccountPence)} GBP`
}

function shareOf(amountPence: Pence, basisPoints: BasisPoints): Pence {
  assert(basisPoints >= 0n, 'a price must not be negative')
  return divideHalfUp(amountPence * basisPoints, 10_000n)
}
