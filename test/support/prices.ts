// The standard prices, for tests that need a price list.
import type { PriceList } from '../../domain/invoices/fees'

export const standardPrices: PriceList = {
  payoutFixedPence: 99n,
  payoutBasisPoints: 100n,
  bankFixedPence: 50n,
  bankBasisPoints: 50n,
  monthlyAccountPence: 1_500n,
  verificationPence: 3_900n,
  networkCostMicropounds: 18_000n,
  networkMarkupBasisPoints: 1_000n,
  exceptionMarkupBasisPoints: 2_000n,
  returnCostMicropounds: 5_000_000n,
}
