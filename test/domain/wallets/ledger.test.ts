// domain/wallets/ledger.ts: every posting set sums to zero.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import {
  assertBalanced,
  debitPostings,
  floatPostings,
  type Posting,
  paidOutPostings,
  refundPostings,
  returnPostings,
  reversePostings,
  topUpPostings,
} from '../../../domain/wallets/ledger'

const amounts = fc.bigInt({ min: 1n, max: 10n ** 18n })

describe.each([
  { postings: floatPostings, from: 'top_ups', to: 'wallet' },
  { postings: topUpPostings, from: 'top_ups', to: 'wallet' },
  { postings: debitPostings, from: 'wallet', to: 'in_transit' },
  { postings: reversePostings, from: 'in_transit', to: 'wallet' },
  { postings: paidOutPostings, from: 'in_transit', to: 'paid_out' },
])('$postings.name', ({ postings, from, to }) => {
  test(`moves money from ${from} to ${to}`, () => {
    expect(postings(7n)).toEqual([
      { account: from, amountMicroUsdc: -7n },
      { account: to, amountMicroUsdc: 7n },
    ])
  })

  test('balances for every amount', () => {
    fc.assert(fc.property(amounts, (amount) => expect(() => assertBalanced(postings(amount))).not.toThrow()))
  })

  test('refuses zero and negative amounts', () => {
    expect(() => postings(0n)).toThrow('positive')
    expect(() => postings(-1n)).toThrow('positive')
  })
})

test('a debit and its reversal leave every account unchanged', () => {
  fc.assert(
    fc.property(amounts, (amount) => {
      const balances = balancesAfter([...debitPostings(amount), ...reversePostings(amount)])
      expect([...balances.values()].every((balance) => balance === 0n)).toBe(true)
    }),
  )
})

test('all incoming money is in the wallet, in transit or paid out', () => {
  const balances = balancesAfter([...topUpPostings(100n), ...debitPostings(60n), ...paidOutPostings(45n)])

  expect(Object.fromEntries(balances)).toEqual({ top_ups: -100n, wallet: 40n, in_transit: 15n, paid_out: 45n })
})

test('a refund or return leaves nothing in transit or paid out, and posts the difference to the exchange account', () => {
  fc.assert(
    fc.property(amounts, amounts, (sent, refunded) => {
      const onItsWay = balancesAfter([...debitPostings(sent), ...refundPostings(sent, refunded)])
      const arrived = balancesAfter([
        ...debitPostings(sent),
        ...paidOutPostings(sent),
        ...returnPostings(sent, refunded),
      ])

      for (const balances of [onItsWay, arrived]) {
        expect([balances.get('in_transit'), balances.get('paid_out') ?? 0n]).toEqual([0n, 0n])
        expect([balances.get('wallet'), balances.get('exchange_difference') ?? 0n]).toEqual([
          refunded - sent,
          sent - refunded,
        ])
      }
    }),
  )
})

test('a set must balance, move money and have two sides', () => {
  expect(() => assertBalanced([posting(1n), posting(-2n)])).toThrow('must balance')
  expect(() => assertBalanced([posting(1n), posting(-1n), posting(0n)])).toThrow('must move money')
  expect(() => assertBalanced([posting(0n)])).toThrow('two sides')
  expect(() => assertBalanced([])).toThrow('two sides')
  expect(() => assertBalanced([posting(3n), posting(-1n), posting(-2n)])).not.toThrow()
})

function posting(amountMicroUsdc: bigint): Posting {
  return { account: 'wallet', amountMicroUsdc }
}

function balancesAfter(postings: readonly Posting[]): Map<string, bigint> {
  const balances = new Map<string, bigint>()
  for (const { account, amountMicroUsdc } of postings) {
    balances.set(account, (balances.get(account) ?? 0n) + amountMicroUsdc)
  }
  return balances
}
