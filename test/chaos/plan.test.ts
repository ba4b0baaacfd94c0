// The plan of a chaos run: the same seed plans the same faults, and even a short run kills every target once.
import { expect, test } from '@jest/globals'
import { environments } from '../../domain/environment'
import { openTestBank } from '../support/bank/client'
import { type ChaosEvent, planOf, targets } from './plan'

test('the same seed plans the same faults, and another seed plans different ones', () => {
  expect(planOf({ seed: 7, ms: 60_000 })).toEqual(planOf({ seed: 7, ms: 60_000 }))
  expect(planOf({ seed: 7, ms: 60_000 })).not.toEqual(planOf({ seed: 8, ms: 60_000 }))
})

test('a longer run begins with the same events as a shorter run with the same seed', () => {
  const short = planOf({ seed: 7, ms: 20_000 })

  expect(planOf({ seed: 7, ms: 60_000 }).slice(0, short.length)).toEqual(short)
})

test.each([1, 2, 3, 4, 5])(
  'a run of half a minute with seed %i kills every target at least once, returns a payout and pauses a rail',
  (seed) => {
    const plan = planOf({ seed, ms: 30_000 })

    const killed = plan.flatMap((event) => (event.kind === 'kill' ? [event.target] : []))
    expect([...new Set(killed)].toSorted()).toEqual([...targets].toSorted())
    expect(returnsIn(plan)).toBeGreaterThan(0)
    expect(pausedIn(plan).length).toBeGreaterThan(0)
  },
)

test.each([1, 2, 3, 4, 5])('a run of five minutes with seed %i returns payouts and pauses both rails', (seed) => {
  const plan = planOf({ seed, ms: 300_000 })

  expect(returnsIn(plan)).toBeGreaterThan(4)
  expect(new Set(pausedIn(plan))).toEqual(new Set(environments))
})

test('the bank accepts every fault in a long plan', async () => {
  const faults = planOf({ seed: 1, ms: 3_600_000 }).flatMap((event) => (event.kind === 'fault' ? [event.fault] : []))
  const bank = await openTestBank()

  const kinds = [...new Map(faults.map((fault) => [JSON.stringify({ ...fault, times: 1 }), fault])).values()]
  const statuses = await Promise.all(kinds.map((fault) => bank.control('POST', '/faults', fault)))
  await bank.close()

  expect(kinds.length).toBeGreaterThan(20)
  expect([...new Set(statuses.map(({ status }) => status))]).toEqual([201])
})

function returnsIn(plan: readonly ChaosEvent[]): number {
  return plan.filter(({ kind }) => kind === 'return').length
}

function pausedIn(plan: readonly ChaosEvent[]): string[] {
  return plan.flatMap((event) => (event.kind === 'pause' ? [event.environment] : []))
}
