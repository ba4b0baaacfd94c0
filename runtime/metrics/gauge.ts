// A gauge: a figure that goes up and down.
import type { Metric, Sample } from './text'

export function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'gauge', samples }
}
