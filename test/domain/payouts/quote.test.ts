// domain/payouts/quote.ts: the amounts in a quote.
import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { feeFor } from '../../../domain/invoices/fees'
import { formatUsdc } from '../../../domain/money'
import { quoteFor } from '../../../domain/payouts/quote'
import { standardPrices as prices } from '../../support/prices'

const amounts = fc.bigInt({ min: 100n, max: 2_000_000n })
const rates = fc.bigInt({ min: 400_000_000n, max: 1_500_000_000n })

test('a quote for 120.00 GBP at 0.79 has the expected amounts', () => {
  expect(quoteFor({ amountPence: 12_000n, prices, gbpPerUsdNano: 790_000_000n })).toEqual({
    amountPence: 12_000n,
    feePence: 219n,
    inTransferPence: 110n,
    onInvoicePence: 109n,
    walletSendsMicroUsdc: 153_300_000n,
    gbpPerUsdNano: 790_000_000n,
  })
})

test('the two parts of the fee add up to the fee, and match the price list', () => {
  fc.assert(
    fc.property(amounts, rates, (amountPence, gbpPerUsdNano) => {
      const quote = quoteFor({ amountPence, prices, gbpPerUsdNano })
      const fee = feeFor(amountPence, prices)
      expect(quote.inTransferPence + quote.onInvoicePence).toBe(quote.feePence)
      expect(quote).toMatchObject({ feePence: fee.totalPence, inTransferPence: fee.inTransferPence })
    }),
  )
})

test("the wallet sends enough for the amount and the bank's share, and one cent less would not suffice", () => {
  fc.assert(
    fc.property(amounts, rates, (amountPence, gbpPerUsdNano) => {
      const quote = quoteFor({ amountPence, prices, gbpPerUsdNano })
      const needed = (amountPence + quote.inTransferPence) * 10n ** 13n
      expect(quote.walletSendsMicroUsdc * gbpPerUsdNano >= needed).toBe(true)
      expect((quote.walletSendsMicroUsdc - 10_000n) * gbpPerUsdNano < needed).toBe(true)
    }),
  )
})

test('the amount that the wallet sends can always be formatted exactly', () => {
  fc.assert(
    fc.property(amounts, rates, (amountPence, gbpPerUsdNano) => {
      const { walletSendsMicroUsdc } = quoteFor({ amountPence, prices, gbpPerUsdNano })
      expect(() => formatUsdc(walletSendsMicroUsdc)).not.toThrow()
    }),
  )
})

test('a larger amount never costs less', () => {
  fc.assert(
    fc.property(amounts, fc.bigInt({ min: 0n, max: 10_000n }), rates, (amountPence, extra, gbpPerUsdNano) => {
      const quote = quoteFor({ amountPence, prices, gbpPerUsdNano })
      const larger = quoteFor({ amountPence: amountPence + extra, prices, gbpPerUsdNano })
      expect(larger.feePence >= quote.feePence).toBe(true)
      expect(larger.walletSendsMicroUsdc >= quote.walletSendsMicroUsdc).toBe(true)
    }),
  )
})

test('a quote for zero, or at a rate of zero, throws', () => {
  expect(() => quoteFor({ amountPence: 0n, prices, gbpPerUsdNano: 790_000_000n })).toThrow('positive amount')
  expect(() => quoteFor({ amountPence: 100n, prices, gbpPerUsdNano: 0n })).toThrow('must be positive')
})
