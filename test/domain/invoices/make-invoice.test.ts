// Charges become an invoice. Amounts are rounded once per line, the total is never below zero, and no credit is lost.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import {
  type ChargeGroup,
  type ChargeKind,
  chargeKinds,
  invoiceLineKinds,
  lineKindOf,
  makeInvoice,
} from '../../../domain/invoices/invoice'

interface Charge {
  readonly kind: ChargeKind
  readonly amount: bigint
}

/** Groups charges as the database does. */
function grouped(charges: readonly Charge[]): ChargeGroup[] {
  return chargeKinds.flatMap((kind) => {
    const amounts = charges.filter((each) => each.kind === kind).map(({ amount }) => amount)
    const [first, ...rest] = amounts
    if (first === undefined) return []
    const months = kind === 'monthly_account' ? ['2026-10'] : []
    const least = rest.reduce((low, each) => (each < low ? each : low), first)
    const most = rest.reduce((high, each) => (each > high ? each : high), first)
    const prices = { sumMicropounds: sum(amounts), leastMicropounds: least, mostMicropounds: most }
    return [{ kind, count: amounts.length, ...prices, months }]
  })
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, each) => total + each, 0n)
}

function invoiceOf(charges: readonly Charge[], carriedInPence = 0n) {
  return makeInvoice(grouped(charges), { carriedInPence })
}

function times(count: number, kind: ChargeKind, amount: bigint): Charge[] {
  return Array.from({ length: count }, () => ({ kind, amount }))
}

test('without charges, there are no lines and nothing to pay', () => {
  const none = { chargedPence: 0n, creditedPence: 0n, totalPence: 0n, carriedPence: 0n }

  expect(invoiceOf([])).toEqual({ lines: [], ...none })
})

test('a hundred network fees of 1.98p add up to 1.98 pounds, because they are rounded once', () => {
  expect(invoiceOf(times(100, 'network_fee', 19_800n)).lines).toEqual([
    {
      kind: 'network_fees',
      description: 'Network fees',
      quantity: 100,
      unitAmountMicropounds: 19_800n,
      amountPence: 198n,
    },
  ])
})

test('charges with different prices are combined into one line with their sum and count', () => {
  const { lines } = invoiceOf([...times(39, 'payout_fee', 1_090_000n), ...times(1, 'payout_fee', 490_000n)])

  expect(lines).toEqual([
    {
      kind: 'payout_fees',
      description: 'Payout fees for 40 completed payouts',
      quantity: 1,
      unitAmountMicropounds: 43_000_000n,
      amountPence: 4_300n,
    },
  ])
})

test('a count in a description has a thousands separator', () => {
  const fees = { leastMicropounds: 490_000n, mostMicropounds: 1_090_000n, months: [] }
  const group: ChargeGroup = { kind: 'payout_fee', count: 1_240, sumMicropounds: 1_351_600_000n, ...fees }

  expect(makeInvoice([group], { carriedInPence: 0n }).lines[0]?.description).toBe(
    'Payout fees for 1,240 completed payouts',
  )
})

test('a monthly account fee names its months, even when one was billed late and at another price', () => {
  const one = (month: string, price: bigint): ChargeGroup => {
    const prices = { sumMicropounds: price, leastMicropounds: price, mostMicropounds: price }
    return { kind: 'monthly_account', count: 1, ...prices, months: [month] }
  }
  const lineOf = (...groups: ChargeGroup[]) => makeInvoice(groups, { carriedInPence: 0n }).lines[0]

  expect(lineOf(one('2026-10', 15_000_000n))?.description).toBe('Monthly account, October 2026')
  expect(lineOf(one('2026-10', 15_000_000n), one('2026-09', 15_000_000n))).toMatchObject({
    description: 'Monthly account, September 2026 and October 2026',
    quantity: 2,
    unitAmountMicropounds: 15_000_000n,
  })
  const three = lineOf(one('2026-10', 1n), one('2026-08', 1n), one('2026-09', 1n))
  expect(three?.description).toBe('Monthly account, August 2026, September 2026 and October 2026')
  expect(lineOf(one('2026-10', 15_000_000n), one('2026-09', 12_000_000n))).toMatchObject({
    quantity: 1,
    unitAmountMicropounds: 27_000_000n,
    amountPence: 2_700n,
  })
})

test('half a penny is rounded up, and less than half is rounded down', () => {
  const totalOf = (amount: bigint) => invoiceOf([{ kind: 'exception', amount }]).totalPence

  expect([totalOf(5_000n), totalOf(4_999n)]).toEqual([1n, 0n])
})

test('credit from earlier invoices is a separate line, and the unused part is carried forward', () => {
  const made = invoiceOf([...times(1, 'payout_fee', 1_000_000n), ...times(1, 'credit', 300_000n)], 250n)

  expect(made.lines.map(({ kind, amountPence }) => [kind, amountPence])).toEqual([
    ['payout_fees', 100n],
    ['credit', 30n],
    ['credit', 250n],
  ])
  expect(made).toMatchObject({ chargedPence: 100n, creditedPence: 280n, totalPence: 0n, carriedPence: 180n })
})

describe('for any charges and any credit', () => {
  const charges = fc.array(
    fc.record({
      kind: fc.constantFrom(...chargeKinds),
      amount: fc.oneof(fc.constantFrom(0n, 19_800n, 1_090_000n), fc.bigInt(0n, 10_000_000_000n)),
    }),
    { maxLength: 60 },
  )
  const carried = fc.oneof(fc.constant(0n), fc.bigInt(0n, 1_000_000n))
  const always = (holds: (all: readonly Charge[], carriedInPence: bigint) => void) =>
    fc.assert(fc.property(charges, carried, holds))

  test('there is one line per charged kind, in the order of invoiceLineKinds, then the carried credit', () => {
    always((all, carriedInPence) => {
      const charged = new Set(all.map(({ kind }) => lineKindOf[kind]))
      const own = invoiceLineKinds.filter((kind) => charged.has(kind))

      expect(invoiceOf(all, carriedInPence).lines.map(({ kind }) => kind)).toEqual(
        carriedInPence > 0n ? [...own, 'credit'] : own,
      )
    })
  })

  test('the amount of a line is quantity times unit amount, rounded half up once', () => {
    always((all, carriedInPence) => {
      for (const line of invoiceOf(all, carriedInPence).lines) {
        const exact = BigInt(line.quantity) * line.unitAmountMicropounds

        expect(line.amountPence).toBe((exact + 5_000n) / 10_000n)
      }
    })
  })

  test('a line differs from its charges by at most half a penny', () => {
    always((all) => {
      for (const { kind, amountPence } of invoiceOf(all).lines) {
        const exact = sum(all.filter((each) => lineKindOf[each.kind] === kind).map(({ amount }) => amount))
        const off = amountPence * 10_000n - exact

        expect(off > -5_000n && off <= 5_000n).toBe(true)
      }
    })
  })

  test('the amount to pay minus the carried credit equals charges minus credits, and one of the two is zero', () => {
    always((all, carriedInPence) => {
      const { lines, totalPence, carriedPence } = invoiceOf(all, carriedInPence)
      const signed = lines.map(({ kind, amountPence }) => (kind === 'credit' ? -amountPence : amountPence))

      expect(totalPence - carriedPence).toBe(sum(signed))
      expect(totalPence >= 0n && carriedPence >= 0n && totalPence * carriedPence === 0n).toBe(true)
    })
  })

  test('the result does not depend on how the charges are grouped', () => {
    always((all, carriedInPence) => {
      const apart = all.flatMap((each) => grouped([each]))

      expect(makeInvoice(apart, { carriedInPence })).toEqual(invoiceOf(all, carriedInPence))
    })
  })
})
