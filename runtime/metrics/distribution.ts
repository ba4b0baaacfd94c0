// How often something took how long: counts by upper bound, as a Prometheus histogram wants them.
import type { Labels, Sample } from './text'

export interface Distribution {
  add(seconds: number): void
  samples(labels: Labels): Sample[]
}

/** The bounds in ascending order; what is above the last one is counted as well. */
export function createDistribution(bounds: readonly number[]): Distribution {
  const counts = bounds.map(() => 0)
  let count = 0
  let sum = 0
  return {
    add(seconds) {
      const place = bounds.findIndex((bound) => seconds <= bound)
      if (place >= 0) counts[place] = (counts[place] ?? 0) + 1
      count += 1
      sum += seconds
    },
    samples(labels) {
      let below = 0
      const buckets = bounds.map((bound, place): Sample => {
        below += counts[place] ?? 0
        return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below }
      })
      return [
        ...buckets,
        { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
        { suffix: '_sum', labels, value: sum },
        { suffix: '_count', labels, value: count },
      ]
    },
  }
}
