// Exchange rates between USD and GBP. Their timestamp advances at a fixed interval, and faults can change them.
import { type Call, get, isoTime, type Moment, type Route } from '../http/call'
import { invalid } from '../http/errors'
import { formatDecimal, nanoPerOne, parseDecimal, type RateNano } from '../money'

export const rateRoutes: readonly Route[] = [get('/exchange_rates', readRates)]

interface Rates {
  readonly mid: RateNano
  /** GBP per USD when buying dollars with pounds. */
  readonly buy: RateNano
  /** GBP per USD when selling dollars for pounds: the rate for payouts. */
  readonly sell: RateNano
}

/** The current rates. Does not count a rate fault as fired. */
export function ratesAt({ bank, environment }: Moment): Rates {
  const jump = bank.faults.peek(['rate_jump'], { environment })
  return ratesFrom((jump?.sell_rate && parseDecimal(jump.sell_rate, 9)) || bank.settings.sellRateNano)
}

function readRates(call: Call) {
  const { bank, environment, now, query } = call
  const rates = ratesAt(call)
  bank.faults.take(['rate_jump'], { environment })
  const staleMs = bank.faults.take(['rate_stale'], { environment })?.ms
  const updatedAt = staleMs ? now - staleMs : now - (now % bank.settings.rateRefreshMs)
  const shown = directed(rates, query.get('from'), query.get('to'))
  return {
    midmarket_rate: formatDecimal(shown.mid, 9),
    buy_rate: formatDecimal(shown.buy, 9),
    sell_rate: formatDecimal(shown.sell, 9),
    updated_at: isoTime(updatedAt),
  }
}

/** About 0.25 % on either side of the mid-market rate. */
function ratesFrom(sell: RateNano): Rates {
  return { sell, mid: (sell * 10_025n) / 10_000n, buy: (sell * 10_050n) / 10_000n }
}

function directed(rates: Rates, from: string | null, to: string | null): Rates {
  if (from === 'usd' && to === 'gbp') return rates
  if (from === 'gbp' && to === 'usd') {
    return { mid: inverse(rates.mid), buy: inverse(rates.sell), sell: inverse(rates.buy) }
  }
  throw invalid(from === 'usd' || from === 'gbp' ? 'to' : 'from', 'Only usd and gbp are exchanged here.', 'query')
}

function inverse(rate: RateNano): RateNano {
  return (nanoPerOne * nanoPerOne) / rate
}
