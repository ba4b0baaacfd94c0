// Tracing uses the standard OpenTelemetry variables and is off without a collector.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { loadConfig } from '../../../runtime/config/config'
import { mistakesIn, neededSettings as needed } from '../../support/config'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

test('nothing is traced without a collector', () => {
  expect(tracing({})).toBeNull()
  expect(tracing({ OTEL_SERVICE_NAME: 'payouts', OTEL_TRACES_SAMPLER_ARG: '0.5' })).toBeNull()
  // This value is for another sampler, which another program on the same machine may use.
  expect(tracing({ OTEL_TRACES_SAMPLER_ARG: 'endpoint=http://127.0.0.1:14250' })).toBeNull()
})

test('with a collector, every trace is kept by default', () => {
  expect(tracing(endpoint)).toEqual({
    url: 'http://127.0.0.1:4318/v1/traces',
    headers: {},
    ratio: 1,
    serviceName: null,
  })
})

test.each([
  ['https://otlp.example.com', 'https://otlp.example.com/v1/traces'],
  ['https://otlp.example.com/', 'https://otlp.example.com/v1/traces'],
  ['https://otlp.example.com/otlp/', 'https://otlp.example.com/otlp/v1/traces'],
])('spans for %s are posted to %s', (base, url) => {
  expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: base })).toMatchObject({ url })
})

test('headers are read as percent-encoded pairs', () => {
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20abc==, x-key = k%2C1' }

  expect(tracing({ ...endpoint, ...headers })?.headers).toEqual({ Authorization: 'Basic abc==', 'x-key': 'k,1' })
})

test('headers may come from a file, like other secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tracing-'))
  const file = join(folder, 'headers')
  writeFileSync(file, 'x-key=from-a-file\n')

  try {
    expect(tracing({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS_FILE: file })?.headers).toEqual({ 'x-key': 'from-a-file' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.each([
  ['0', 0],
  ['0.25', 0.25],
  ['.5', 0.5],
  ['1.0', 1],
])('the sampling ratio "%s" is parsed as %s', (text, ratio) => {
  expect(tracing({ ...endpoint, OTEL_TRACES_SAMPLER_ARG: text })?.ratio).toBe(ratio)
})

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector.example.com'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:hunter22@collector.example.com'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://collector.example.com/?key=hunter22'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter22'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b,=hunter22'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=hunter22'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%hunter22'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=hunter22%0d%0aX: y'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['OTEL_TRACES_SAMPLER_ARG', '-1'],
  ['OTEL_TRACES_SAMPLER_ARG', 'all'],
  ['OTEL_SERVICE_NAME', 'two words'],
])('%s must not be "%s", and the message does not repeat the value', (name, value) => {
  const mistakes = mistakesIn(() => tracing({ ...endpoint, [name]: value }))

  expect(mistakes).toHaveLength(1)
  expect(mistakes[0]).toContain(name)
  expect(mistakes[0]).not.toContain('hunter22')
})

function tracing(env: Record<string, string>) {
  return loadConfig({ ...needed, ...env }).tracing
}
