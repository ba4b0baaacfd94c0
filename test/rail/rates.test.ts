// The rate cache with a real database: a rate that any process has rejected is never served, and neither is
// the rate before it.
import { beforeEach, expect, test } from '@jest/globals'
import { createRateStore, findRate } from '../../db/bank/exchange-rates'
import type { BankRate } from '../../domain/rate-check'
import { RailRefused, RailUnavailable } from '../../rail/rail'
import { createRates, type Rates } from '../../rail/rates'
import { testRateLimits as limits } from '../support/api/client'
import { aClock } from '../support/api/fixtures'
import { useDatabase } from '../support/db/database'

const start = '2026-11-15T12:00:00.000Z'
const good = 790_000_000n
const rail = 'provider_production'
const clock = aClock(start)
const db = useDatabase(4)
let rejected: string[]
let asked: number
/** The bank's current answer. */
let answer: () => Partial<BankRate>

beforeEach(async () => {
  await db.dataSource.query('DELETE FROM exchange_rates')
  clock.set(start)
  rejected = []
  asked = 0
  answer = () => ({ gbpPerUsdNano: good })
})

test('neither a rejected rate nor the valid rate before it is served from the cache', async () => {
  const rates = aProcess()
  await rates.of(rail)
  answer = () => ({ gbpPerUsdNano: 740_000_000n })

  after(30_000)
  expect(await rates.of(rail)).toBe(good)
  after(1)
  await expect(rates.of(rail)).rejects.toThrow('jump')
  after(5_001)
  await expect(rates.of(rail)).rejects.toThrow('jump')
  answer = unavailable
  after(5_001)
  await expect(rates.of(rail)).rejects.toThrow(RailUnavailable)
  expect(rejected).toEqual(['jump', 'jump'])
})

test('a rejection is cached for 5 seconds, and then the rate is fetched again', async () => {
  const rates = aProcess()
  answer = () => ({ updatedAt: new Date('2026-11-05T12:00:00.000Z') })
  await expect(Promise.all([1, 2, 3].map(() => rates.of(rail)))).rejects.toThrow('stale')
  after(5_000)
  await expect(rates.of(rail)).rejects.toThrow('stale')
  expect([asked, rejected]).toEqual([1, ['stale']])

  answer = () => ({ gbpPerUsdNano: good })
  after(1)

  expect(await rates.of(rail)).toBe(good)
})

test('while the bank does not answer, a rate is served for 5 minutes, unless another process has rejected a newer rate', async () => {
  const [ours, theirs] = [aProcess(), aProcess()]
  await ours.of(rail)
  after(31_000)
  answer = () => ({ midNano: 900_000_000n })
  await expect(theirs.of(rail)).rejects.toThrow('off_mid')
  answer = unavailable

  await expect(ours.of(rail)).rejects.toThrow(RailUnavailable)
  answer = () => ({ gbpPerUsdNano: 791_000_000n })
  after(5_001)
  expect(await theirs.of(rail)).toBe(791_000_000n)
  answer = unavailable
  expect(await ours.of(rail)).toBe(good)
})

test('after a refused payout the rate is fetched again, and the cached rate is served while the bank does not answer', async () => {
  const rates = aProcess()
  await rates.of(rail)
  answer = unavailable
  rates.askAgain()
  expect([await rates.of(rail), await rates.of(rail), asked]).toEqual([good, good, 2])

  answer = () => ({ gbpPerUsdNano: 780_000_000n })
  rates.askAgain()
  expect([await rates.of(rail), await rates.of(rail), asked]).toEqual([780_000_000n, 780_000_000n, 3])
})

test("a cached rate is served only while the bank's timestamp is fresh", async () => {
  const rates = aProcess()
  const updatedAt = new Date('2026-11-15T11:45:10.000Z')
  answer = () => ({ updatedAt })
  await rates.of(rail)

  after(10_000)
  expect(await rates.of(rail)).toBe(good)
  after(1)
  await expect(rates.of(rail)).rejects.toThrow('stale')
})

test('an answer without a readable rate counts as a rejection, and the older rate is not used instead', async () => {
  const rates = aProcess()
  await rates.of(rail)
  after(31_000)
  answer = () => {
    throw new RailRefused('rate')
  }

  await expect(rates.of(rail)).rejects.toThrow('unusable')
  expect(await findRate(db, rail)).toMatchObject({ acceptedNano: good, rejection: 'unusable', rejectedNano: null })
})

test('all processes, even after a restart, compare new rates with the same last accepted rate of each rail', async () => {
  await aProcess().of(rail)
  answer = () => ({ gbpPerUsdNano: 740_000_000n })
  const another = aProcess()

  await expect(another.of(rail)).rejects.toThrow('jump')
  expect(await another.of('provider_sandbox')).toBe(740_000_000n)
  expect(await findRate(db, rail)).toMatchObject({
    acceptedNano: good,
    rejection: 'jump',
    rejectedNano: 740_000_000n,
    rejectedAt: clock.now(),
  })
})

function aProcess(): Rates {
  const bank = {
    rate: async () => {
      asked += 1
      const given = answer()
      const gbpPerUsdNano = given.gbpPerUsdNano ?? good
      return { gbpPerUsdNano, midNano: gbpPerUsdNano, updatedAt: clock.now(), ...given }
    },
  }
  return createRates({
    rails: { provider_production: bank, provider_sandbox: bank },
    store: createRateStore(db, limits),
    limits,
    clock,
    onRejected: (_, rejection) => void rejected.push(rejection),
  })
}

function unavailable(): never {
  throw new RailUnavailable('rate')
}

function after(ms: number): void {
  clock.set(new Date(clock.now().getTime() + ms).toISOString())
}
