// A partner's price list, a payout's fee with its two parts, and the display text of prices.
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
  /** The network cost of a payout if the bank's receipt does not state it. */
  readonly networkCostMicropounds: Micropounds
  readonly networkMarkupBasisPoints: BasisPoints
  readonly exceptionMarkupBasisPoints: BasisPoints
  /** The cost of a return. The bank does not report it. */
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

/** Returns the cost plus markup, rounded to the micropound. Uses the price list's cost if the bank reports none. */
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

/** The prices as the API and the dashboard show them. */
export function describePrices(prices: ShownPrices) {
  return {
    payout: fixedAndShare(prices.payoutFixedPence, prices.payoutBasisPoints),
    payout_in_transfer: fixedAndShare(prices.bankFixedPence, prices.bankBasisPoints),
    monthly_account: `${formatPence(prices.monthlyAccountPence)} GBP`,
    business_verification: `${formatPence(prices.verificationPence)} GBP`,
    network_fees: `cost + ${formatHundredths(prices.networkMarkupBasisPoints)}%`,
    bank_exceptions: `cost + ${formatHundredths(prices.exceptionMarkupBasisPoints)}%`,
  }
}

/** The part of a price list that describePrices uses. */
export type ShownPrices = Omit<PriceList, 'networkCostMicropounds' | 'returnCostMicropounds'>

function fixedAndShare(fixedPence: Pence, basisPoints: BasisPoints): string {
  return `${formatPence(fixedPence)} GBP + ${formatHundredths(basisPoints)}%`
}

function shareOf(amountPence: Pence, basisPoints: BasisPoints): Pence {
  assert(basisPoints >= 0n, 'a price must not be negative')
  return divideHalfUp(amountPence * basisPoints, 10_000n)
}
