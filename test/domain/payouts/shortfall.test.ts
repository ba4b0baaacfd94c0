// domain/payouts/quote.ts: a 402 response shows the smallest amount in pounds that buys the missing USDC.
import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { shortfallOf } from '../../../domain/payouts/quote'

const rate = 790_000_000n
const nano = 1_000_000_000n

test.each([
  // At 0.79, 100.00 USDC is exactly 79.00 pounds, so nothing is rounded up.
  [100_000_000n, 0n, '100.00', '79.00'],
  [177_850_000n, 0n, '177.85', '140.51'],
  [10_000n, 0n, '0.01', '0.01'],
])('%s micro-USDC required with %s available is a shortfall of %s USDC or %s GBP', (required, available, usdc, gbp) => {
  expect(shortfallOf(required, available, rate)).toMatchObject({ shortfall_usdc: usdc, shortfall_approx_gbp: gbp })
})

test('the shortfall in pounds buys the missing USDC at the same rate, and a penny less does not', () => {
  const cents = fc.bigInt({ min: 1n, max: 10n ** 9n })
  const rates = fc.oneof(fc.constantFrom(790_000_000n, 500_000_000n, nano), fc.bigInt({ min: 1n, max: 2n * nano }))

  fc.assert(
    fc.property(cents, cents, rates, (missingCents, availableCents, gbpPerUsdNano) => {
      const available = availableCents * 10_000n
      const shown = shortfallOf(available + missingCents * 10_000n, available, gbpPerUsdNano)
      const pence = BigInt(shown['shortfall_approx_gbp']?.replace('.', '') ?? '')

      expect(pence * nano >= missingCents * gbpPerUsdNano).toBe(true)
      expect((pence - 1n) * nano < missingCents * gbpPerUsdNano).toBe(true)
    }),
  )
})
