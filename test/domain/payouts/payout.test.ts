// domain/payouts/payout.ts: the statuses and the transitions between them.
import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { assertMove, canMove, isFinal, payoutStatuses } from '../../../domain/payouts/payout'

const allowed = new Set([
  'pending → processing',
  'pending → completed',
  'pending → failed',
  'pending → cancelled',
  'processing → completed',
  'processing → failed',
  'processing → returned',
  'completed → returned',
])
const pairs = payoutStatuses.flatMap((from) => payoutStatuses.map((to) => [from, to] as const))
const moves = pairs.filter(([from, to]) => allowed.has(`${from} → ${to}`))
const others = pairs.filter(([from, to]) => !allowed.has(`${from} → ${to}`))

test.each(moves)('%s → %s is allowed', (from, to) => {
  expect(canMove(from, to)).toBe(true)
  expect(() => assertMove(from, to)).not.toThrow()
})

test.each(others)('%s → %s is not allowed', (from, to) => {
  expect(canMove(from, to)).toBe(false)
  expect(() => assertMove(from, to)).toThrow(`from ${from} to ${to}`)
})

test('every pair of statuses is covered', () => {
  expect([moves.length, others.length]).toEqual([8, 28])
})

test('failed, cancelled and returned are final, but a completed payout can still be returned', () => {
  expect(payoutStatuses.filter(isFinal)).toEqual(['failed', 'cancelled', 'returned'])
})

test('no sequence of transitions repeats a status or leaves a final one', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...payoutStatuses), { maxLength: 30 }), (wishes) => {
      const walk = wishes.reduce<(typeof payoutStatuses)[number][]>(
        (walk, to) => (canMove(walk.at(-1) ?? 'pending', to) ? [...walk, to] : walk),
        ['pending'],
      )
      expect(new Set(walk).size).toBe(walk.length)
      expect(walk.slice(0, -1).some(isFinal)).toBe(false)
    }),
  )
})
