// Charges become lines (design §4): parts of a penny are summed first and rounded once, and a total is never negative.
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { chargeKinds, invoiceLineKinds, lineKindOf, sumCharges } from '../../domain/invoice'

const charges = fc.array(
  fc.record({ kind: fc.constantFrom(...chargeKinds), amountMicropounds: fc.bigInt(0n, 10_000_000_000n) }),
  { maxLength: 60 },
)

test('nothing charged is no line and nothing to pay', () => {
  expect(sumCharges([])).toEqual({ lines: [], totalPence: 0n })
})

test('a hundred network fees of 1.98p are 1.98, not a hundred times 2p', () => {
  const fees = Array.from({ length: 100 }, () => ({ kind: 'network_fee', amountMicropounds: 19_800n }) as const)

  expect(sumCharges(fees)).toEqual({ lines: [{ kind: 'network_fees', amountPence: 198n }], totalPence: 198n })
})

test('half a penny is rounded up, less is not', () => {
  const lineOf = (amountMicropounds: bigint) => sumCharges([{ kind: 'exception', amountMicropounds }]).totalPence

  expect([lineOf(5_000n), lineOf(4_999n)]).toEqual([1n, 0n])
})

describe('for any charges', () => {
  test('there is one line per kind that was charged, in the order of invoiceLineKinds', () => {
    fc.assert(
      fc.property(charges, (all) => {
        const charged = new Set(all.map(({ kind }) => lineKindOf[kind]))

        expect(sumCharges(all).lines.map(({ kind }) => kind)).toEqual(
          invoiceLineKinds.filter((kind) => charged.has(kind)),
        )
      }),
    )
  })

  test('the total is the lines less the credit, and never below zero', () => {
    fc.assert(
      fc.property(charges, (all) => {
        const { lines, totalPence } = sumCharges(all)
        const credit = lines.find(({ kind }) => kind === 'credit')?.amountPence ?? 0n
        const charged = lines.reduce((sum, { amountPence }) => sum + amountPence, 0n) - credit

        expect(totalPence).toBe(charged > credit ? charged - credit : 0n)
      }),
    )
  })

  test('a line is never more than half a penny from what was charged', () => {
    fc.assert(
      fc.property(charges, (all) => {
        for (const { kind, amountPence } of sumCharges(all).lines) {
          const exact = all
            .filter((each) => lineKindOf[each.kind] === kind)
            .reduce((sum, each) => sum + each.amountMicropounds, 0n)
          const off = amountPence * 10_000n - exact

          expect(off > -5_000n && off <= 5_000n).toBe(true)
        }
      }),
    )
  })
})
