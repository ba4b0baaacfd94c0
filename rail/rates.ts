// The bank's rate, asked for at most once in 30 seconds and usable for 5 minutes while the bank does not answer.
import type { Clock } from '../clock'
import type { RailName } from '../domain/environment'
import { type Rail, RailUnavailable } from './rail'

export interface Rates {
  /** GBP per USD × 10⁹; throws RailUnavailable when there is no rate to be had. */
  of(rail: RailName): Promise<bigint>
}

/** All that a rail must do to be priced by. */
export type RateSource = Pick<Rail, 'rate'>

const freshForMs = 30_000
const usableForMs = 300_000

interface Cached {
  readonly gbpPerUsdNano: bigint
  readonly at: number
}

export function createRates({ rails, clock }: { rails: Partial<Record<RailName, RateSource>>; clock: Clock }): Rates {
  const cache = new Map<RailName, Cached>()
  const asking = new Map<RailName, Promise<bigint>>()

  async function ask(name: RailName): Promise<bigint> {
    const rail = rails[name]
    if (!rail) throw new RailUnavailable('rate')
    const gbpPerUsdNano = await rail.rate()
    cache.set(name, { gbpPerUsdNano, at: clock.now().getTime() })
    return gbpPerUsdNano
  }

  /** Callers that come while the bank is being asked share its one answer. */
  function askOnce(name: RailName): Promise<bigint> {
    const running = asking.get(name) ?? ask(name).finally(() => asking.delete(name))
    asking.set(name, running)
    return running
  }

  return {
    async of(name) {
      const known = cache.get(name)
      const ageMs = known ? clock.now().getTime() - known.at : Number.POSITIVE_INFINITY
      if (known && ageMs <= freshForMs) return known.gbpPerUsdNano
      try {
        return await askOnce(name)
      } catch (error) {
        if (known && ageMs <= usableForMs) return known.gbpPerUsdNano
        throw error
      }
    },
  }
}
