// Figures in the text format that Prometheus reads.

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

export interface Sample {
  /** Behind the metric's name, as in _bucket. */
  readonly suffix?: '_bucket' | '_sum' | '_count'
  readonly labels?: Labels
  readonly value: number
}

export type Labels = Readonly<Record<string, string>>

export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

export function asText(metrics: readonly Metric[]): string {
  return metrics.map(metricText).join('')
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
