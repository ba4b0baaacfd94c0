// A partner's price list, the fee of a payout with its two parts, and the text of prices.
import { assert } from '../assert'
import { divideHalfUp, formatHundredths, formatPence, type Micropounds, type Pence } from '../money'

/** One basis point is a hundredth of one per cent. */
type BasisPoints = bigint

export interface PriceList {
  readonly payoutFixedPence: Pence
  readonly payoutBasisPoints: BasisPoints
  readonly bankFixedPence: Pence
  readonly bankBasisPoints: BasisPoints
  readonly monthlyAccountPence: Pence
  readonly verificationPence: Pence
  /** The network cost of a payout if the bank's receipt has none. */
  readonly networkCostMicropounds: Micropounds
  readonly networkMarkupBasisPoints: BasisPoints
  readonly exceptionMarkupBasisPoints: BasisPoints
  /** The cost of a return if the bank reports none. */
  readonly returnCostMicropounds: Micropounds
}

/** The part of a price list that feeFor uses. */
export type PayoutPrices = Pick<
  PriceList,
  'payoutFixedPence' | 'payoutBasisPoints' | 'bankFixedPence' | 'bankBasisPoints'
>

interface Fee {
  readonly totalPence: Pence
  /** The bank's share, which the wallet sends in addition to the recipient's amount. */
  readonly inTransferPence: Pence
  readonly onInvoicePence: Pence
}

export function feeFor(amountPence: Pence, prices: PayoutPrices): Fee {
  assert(prices.payoutFixedPence >= 0n && prices.bankFixedPence >= 0n, 'a price must not be negative')
  const totalPence = prices.payoutFixedPence + shareOf(amountPence, prices.payoutBasisPoints)
  const bankPence = prices.bankFixedPence + shareOf(amountPence, prices.bankBasisPoints)

  // For small amounts the fee can be lower than the bank's share. The invoiced part must not become negative.
  const inTransferPence = bankPence < totalPence ? bankPence : totalPence
  return { totalPence, inTransferPence, onInvoicePence: totalPence - inTransferPence }
}

/** Returns the cost plus markup, exact to the micropound. Uses the price list's cost if the bank reports none. */
export function networkFeeFor(
  costMicropounds: Micropounds | null,
  prices: Pick<PriceList, 'networkCostMicropounds' | 'networkMarkupBasisPoints'>,
): Micropounds {
  const cost = costMicropounds ?? prices.networkCostMicropounds
  return cost + divideHalfUp(cost * prices.networkMarkupBasisPoints, 10_000n)
}

/** Returns the bank's cost of a return, recall or trace, plus markup. */
export function exceptionFeeFor(
  costMicropounds: Micropounds,
  { exceptionMarkupBasisPoints }: Pick<PriceList, 'exceptionMarkupBasisPoints'>,
): Micropounds {
  return costMicropounds + divideHalfUp(costMicropounds * exceptionMarkupBasisPoints, 10_000n)
}

/** For example "0.99 GBP + 1.00%". */
export function describePayoutPrice(prices: Pick<PriceList, 'payoutFixedPence' | 'payoutBasisPoints'>): string {
  return `${formatPence(prices.payoutFixedPence)} GBP + ${formatHundredths(prices.payoutBasisPoints)}%`
}

/** For example "15.00 GBP". */
export function describeMonthlyPrice(prices: Pick<PriceList, 'monthlyAccountPence'>): string {
  return `${formatPence(prices.monthlyAccountPence)} GBP`
}

function shareOf(amountPence: Pence, basisPoints: BasisPoints): Pence {
  assert(basisPoints >= 0n, 'a price must not be negative')
  return divideHalfUp(amountPence * basisPoints, 10_000n)
}
