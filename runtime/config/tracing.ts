// Where traces go, by the variables that OpenTelemetry has for it; nothing is traced where no collector is named.
import type { Reader } from './reader'

export interface TracingConfig {
  /** Where spans are posted. */
  readonly url: string
  /** What the collector knows us by: secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** Which share of the traces that begin with us is kept, from 0 to 1. */
  readonly ratio: number
  /** Null where each process goes by its own name. */
  readonly serviceName: string | null
}

export function readTracing(read: Reader): TracingConfig | null {
  const url = readUrl(read)
  const headers = readHeaders(read)
  const ratio = readRatio(read)
  const serviceName = read.has('OTEL_SERVICE_NAME') ? read.word('OTEL_SERVICE_NAME', '') : null
  if (url === null) return null
  if (ratio === null) read.mistakes.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, such as 0.1.')
  return { url, headers, ratio: ratio ?? 1, serviceName }
}

/** OpenTelemetry names the collector, and each kind of data has its path below it. */
function readUrl(read: Reader): string | null {
  const name = 'OTEL_EXPORTER_OTLP_ENDPOINT'
  const base = read.optionalUrl(name)
  if (base === null || !URL.canParse(base)) return null
  const { username, password, search, hash } = new URL(base)
  if (username + password + search + hash !== '') {
    read.mistakes.push(`${name} must have no user, query or fragment: secrets go into OTEL_EXPORTER_OTLP_HEADERS.`)
  }
  return `${base.replace(/\/+$/, '')}/v1/traces`
}

/** As in a W3C baggage header: what is not plain in a value is percent-encoded. */
function readHeaders(read: Reader): Record<string, string> {
  const name = 'OTEL_EXPORTER_OTLP_HEADERS'
  const pairs = read.text(name, '').split(',').filter(Boolean)
  const headers = pairs.map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair))
  const entries = headers.map((match): [string, string | null] => [match?.[1] ?? '', decoded(match?.[2] ?? '')])
  const good = entries.flatMap(([key, value]) => (key === '' || value === null ? [] : [[key, value] as const]))
  if (good.length < entries.length) {
    read.mistakes.push(`${name} must be <name>=<value> pairs with commas between them, the values percent-encoded.`)
  }
  return Object.fromEntries(good)
}

/** Null when it can not be the value of a header. */
function decoded(value: string): string | null {
  try {
    const text = decodeURIComponent(value)
    return /^[\x20-\x7e]+$/.test(text) ? text : null
  } catch {
    return null
  }
}

/** Null when it is none: without a collector it may be meant for another program, whose sampler takes something else. */
function readRatio(read: Reader): number | null {
  const value = read.text('OTEL_TRACES_SAMPLER_ARG', '1')
  return /^\d*\.?\d+$/.test(value) && Number(value) <= 1 ? Number(value) : null
}
