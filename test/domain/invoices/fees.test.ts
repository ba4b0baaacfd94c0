// domain/invoices/fees.ts: the fee and its two parts.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { describePrices, feeFor } from '../../../domain/invoices/fees'
import { payoutLimits } from '../../../domain/limits'
import { standardPrices } from '../../support/prices'

describe('the fee', () => {
  test.each([
    [100n, 100n, 51n, 49n],
    [149n, 100n, 51n, 49n],
    [150n, 101n, 51n, 50n],
    [12_000n, 219n, 110n, 109n],
    [2_000_000n, 20_099n, 10_050n, 10_049n],
  ])('for %d pence is %d, %d of it in the transfer and %d on the invoice', (amount, total, inTransfer, onInvoice) => {
    expect(feeFor(amount, standardPrices)).toEqual({
      totalPence: total,
      inTransferPence: inTransfer,
      onInvoicePence: onInvoice,
    })
  })

  test('is the sum of its two parts, for every amount from 1.00 to 20000.00', () => {
    let wrong = 0
    let last = 0n
    for (let amount = payoutLimits.minPence; amount <= payoutLimits.maxPerPayoutPence; amount += 1n) {
      const fee = feeFor(amount, standardPrices)
      const expected = 99n + amount / 100n + (amount % 100n >= 50n ? 1n : 0n)
      const bank = 50n + amount / 200n + (amount % 200n >= 100n ? 1n : 0n)
      const sums = fee.inTransferPence + fee.onInvoicePence === fee.totalPence
      if (!sums || fee.totalPence !== expected || fee.inTransferPence !== bank || fee.onInvoicePence < 0n) wrong += 1
      last = fee.totalPence
    }

    expect(wrong).toBe(0)
    expect(last).toBe(20_099n)
  })

  test('has parts that add up and are never negative, for any price list', () => {
    const price = fc.bigInt({ min: 0n, max: 10_000n })
    const prices = fc.record({
      payoutFixedPence: price,
      payoutBasisPoints: price,
      bankFixedPence: price,
      bankBasisPoints: price,
    })

    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2_000_000n }), prices, (amount, prices) => {
        const fee = feeFor(amount, prices)
        expect(fee.inTransferPence + fee.onInvoicePence).toBe(fee.totalPence)
        expect(fee.inTransferPence >= 0n && fee.onInvoicePence >= 0n).toBe(true)
      }),
    )
  })

  test('has no part on the invoice if the bank’s share would exceed the total', () => {
    const fee = feeFor(1_000n, { ...standardPrices, bankFixedPence: 500n })

    expect(fee).toEqual({ totalPence: 109n, inTransferPence: 109n, onInvoicePence: 0n })
  })

  test('throws for a negative price or amount', () => {
    expect(() => feeFor(-1n, standardPrices)).toThrow('non-negative')
    expect(() => feeFor(100n, { ...standardPrices, payoutFixedPence: -1n })).toThrow('must not be negative')
    expect(() => feeFor(100n, { ...standardPrices, bankFixedPence: -1n })).toThrow('must not be negative')
    expect(() => feeFor(100n, { ...standardPrices, payoutBasisPoints: -1n })).toThrow('must not be negative')
    expect(() => feeFor(100n, { ...standardPrices, bankBasisPoints: -1n })).toThrow('must not be negative')
  })
})

test('prices are formatted as text', () => {
  expect(describePrices(standardPrices)).toEqual({
    payout: '0.99 GBP + 1.00%',
    payout_in_transfer: '0.50 GBP + 0.50%',
    monthly_account: '15.00 GBP',
    business_verification: '39.00 GBP',
    network_fees: 'cost + 10.00%',
    bank_exceptions: 'cost + 20.00%',
  })
  const small = describePrices({ ...standardPrices, payoutFixedPence: 0n, payoutBasisPoints: 5n })
  expect(small.payout).toBe('0.00 GBP + 0.05%')
})
