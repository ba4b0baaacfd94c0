// Writes metrics in the Prometheus text format: gauges, histograms and the metrics of the process itself.
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

export interface Sample {
  /** Appended to the metric's name. */
  readonly suffix?: '_bucket' | '_sum' | '_count'
  readonly labels?: Labels
  readonly value: number
}

type Labels = Readonly<Record<string, string>>

export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

interface Distribution {
  add(seconds: number): void
  samples(labels: Labels): Sample[]
}

export function asText(metrics: readonly Metric[]): string {
  return metrics.map(metricText).join('')
}

export function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'gauge', samples }
}

/** Creates a histogram. The bounds must be in ascending order. Values above the last bound count in +Inf. */
export function createDistribution(bounds: readonly number[]): Distribution {
  const counts = bounds.map(() => 0)
  let count = 0
  let sum = 0
  return {
    add(seconds) {
      const index = bounds.findIndex((bound) => seconds <= bound)
      if (index >= 0) counts[index] = (counts[index] ?? 0) + 1
      count += 1
      sum += seconds
    },
    samples(labels) {
      let cumulative = 0
      const buckets = bounds.map((bound, index): Sample => {
        cumulative += counts[index] ?? 0
        return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: cumulative }
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

/** Counts events and records their durations, by label. */
export interface Tally {
  /** Creates a counter at 0, because an alert on an increase misses the first value of a new series. */
  expect(counted: Labels): void
  add(event: { readonly counted: Labels; readonly timed: Labels; readonly seconds: number }): void
  counts(): Sample[]
  times(): Sample[]
}

export function createTally(bounds: readonly number[]): Tally {
  const counters = new Map<string, { labels: Labels; value: number }>()
  const distributions = new Map<string, { labels: Labels; distribution: Distribution }>()
  const counterOf = (labels: Labels) => known(counters, labels, () => ({ labels, value: 0 }))
  return {
    expect: counterOf,
    add({ counted, timed, seconds }) {
      counterOf(counted).value += 1
      const create = () => ({ labels: timed, distribution: createDistribution(bounds) })
      known(distributions, timed, create).distribution.add(seconds)
    },
    counts: () => [...counters.values()].map(({ labels, value }) => ({ labels, value })),
    times: () => [...distributions.values()].flatMap(({ labels, distribution }) => distribution.samples(labels)),
  }
}

function known<T>(all: Map<string, T>, labels: Labels, create: () => T): T {
  const key = Object.values(labels).join(' ')
  const found = all.get(key) ?? create()
  all.set(key, found)
  return found
}

/** Process metrics under the names that Node.js dashboards use. Measures the event loop from this call on. */
export function createProcessMetrics(): () => Metric[] {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return () => {
    const { user, system } = process.cpuUsage()
    const lagSeconds = delay.count === 0 ? 0 : delay.percentile(99) / 1e9
    delay.reset()
    return [
      one('process_cpu_seconds_total', 'counter', 'CPU time used.', (user + system) / 1e6),
      one('process_resident_memory_bytes', 'gauge', 'Memory used.', process.memoryUsage.rss()),
      one('nodejs_eventloop_lag_p99_seconds', 'gauge', 'Event loop lag since the last scrape.', lagSeconds),
    ]
  }
}

function one(name: string, type: Metric['type'], help: string, value: number): Metric {
  return { name, help, type, samples: [{ value }] }
}

function metricText({ name, help, type, samples }: Metric): string {
  const lines = samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join()}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
