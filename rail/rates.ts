// The exchange rate for quotes, balances and payouts: the bank's rate, if it passes our checks. It is cached for 30
// seconds, or for 5 minutes while the bank does not respond.

import type { RailName } from '../domain/environment'
import { type BankRate, type ExchangeRateLimits, isFresh, type RateRejection } from '../domain/rate-check'
import type { Clock } from '../runtime/clock'
import { type Rail, RailRefused, RailUnavailable } from './rail'

export interface Rates {
  /**
   * Returns GBP per USD × 10⁹. Throws RailUnavailable if there is no rate, and its subclass RateRejected if the
   * bank's rate fails the check.
   */
  of(rail: RailName): Promise<bigint>
  /**
   * Makes the next call fetch a new rate. Used after the bank has refused a payout, perhaps because its rate has
   * moved.
   */
  askAgain(): void
}

/** The part of a rail that provides rates. */
export type RateSource = Pick<Rail, 'rate'>

/** All API processes share the store, so they compare with the same last accepted rate. */
interface RateStore {
  /**
   * Checks the bank's rate against the last accepted one and records the result. `rate` is null if it could not be
   * read. Returns null if the rate is accepted.
   */
  check(rail: RailName, rate: BankRate | null, now: Date): Promise<RateRejection | null>
  /** Returns whether the last check of this rail, by any process, was a rejection. */
  isRejected(rail: RailName): Promise<boolean>
}

/**
 * The bank's newest rate fails the check. The older rate is not used instead, because the bank no longer trades at that
 * rate.
 */
class RateRejected extends RailRefused {
  constructor(readonly rejection: RateRejection) {
    super('rate')
    this.message = `the bank's rate was rejected: ${rejection}`
    this.name = 'RateRejected'
  }
}

export interface RatesOptions {
  readonly rails: Partial<Record<RailName, RateSource>>
  readonly store: RateStore
  readonly limits: ExchangeRateLimits
  readonly clock: Clock
  /** Called once for each check that fails. */
  readonly onRejected: (rail: RailName, rejection: RateRejection) => void
}

const cachedForMs = 30_000
const usableForMs = 300_000
/**
 * The minimum interval between requests while the rate is rejected, so that a flood of requests does not reach the
 * bank.
 */
const recheckAfterMs = 5_000

type Checked =
  | { readonly outcome: 'accepted'; readonly rate: BankRate; readonly at: number }
  | { readonly outcome: 'rejected'; readonly rejection: RateRejection; readonly at: number }

export function createRates({ rails, store, limits, clock, onRejected }: RatesOptions): Rates {
  const cache = new Map<RailName, Checked>()
  const asking = new Map<RailName, Promise<bigint>>()
  const doubted = new Set<RailName>()

  async function ask(name: RailName): Promise<bigint> {
    const rail = rails[name]
    if (!rail) throw new RailUnavailable('rate')
    doubted.delete(name)
    const rate = await rail.rate().catch(nullIfUnusable)
    const now = clock.now()
    const rejection = await store.check(name, rate, now)
    if (rejection !== null || rate === null) return reject(name, rejection ?? 'unusable', now)
    cache.set(name, { outcome: 'accepted', rate, at: now.getTime() })
    return rate.gbpPerUsdNano
  }

  function reject(name: RailName, rejection: RateRejection, now: Date): never {
    cache.set(name, { outcome: 'rejected', rejection, at: now.getTime() })
    onRejected(name, rejection)
    throw new RateRejected(rejection)
  }

  /** Concurrent callers share one request. */
  function askOnce(name: RailName): Promise<bigint> {
    const running = asking.get(name) ?? ask(name).finally(() => asking.delete(name))
    asking.set(name, running)
    return running
  }

  /** Returns the cached rate, if it is fresh by the bank's timestamp and at most `atMostMs` old by our clock. */
  function cachedWithin(name: RailName, atMostMs: number): Extract<Checked, { outcome: 'accepted' }> | null {
    const known = cache.get(name)
    const now = clock.now()
    if (known?.outcome !== 'accepted' || now.getTime() - known.at > atMostMs) return null
    return isFresh(known.rate, limits, now) ? known : null
  }

  return {
    async of(name) {
      const known = cache.get(name)
      if (known?.outcome === 'rejected' && clock.now().getTime() - known.at <= recheckAfterMs)
        throw new RateRejected(known.rejection)
      const cached = doubted.has(name) ? null : cachedWithin(name, cachedForMs)
      if (cached) return cached.rate.gbpPerUsdNano
      try {
        return await askOnce(name)
      } catch (error) {
        // An older rate is used only if the bank does not respond. It is never used after a rejection, by this
        // process or another.
        if (!(error instanceof RailUnavailable) || error instanceof RailRefused) throw error
        const older = cachedWithin(name, usableForMs)
        if (older === null || (await store.isRejected(name))) throw error
        return older.rate.gbpPerUsdNano
      }
    },
    askAgain() {
      for (const name of cache.keys()) doubted.add(name)
    },
  }
}

/** A response without a readable rate counts as a rejected rate. */
function nullIfUnusable(error: unknown): null {
  if (error instanceof RailRefused) return null
  throw error
}
