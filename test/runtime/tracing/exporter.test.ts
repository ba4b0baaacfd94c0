// The exporter sends spans in batches. If the collector fails, the failure is logged once, and no caller waits.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createExporter, type Exporter, type Limits } from '../../../runtime/tracing/exporter'
import type { FinishedSpan } from '../../../runtime/tracing/tracer'
import { type ACollector, aCollector } from '../../support/a-collector'
import { keptLog } from '../../support/kept-logs'
import { until } from '../../support/until'

/** Longer than any test, so that the interval never triggers a post. */
const never = 3_600_000

let collector: ACollector
let exporter: Exporter | null
let logged: string[]

beforeEach(async () => {
  collector = await aCollector()
  exporter = null
  logged = []
})
afterEach(async () => {
  await exporter?.close()
  await collector.close()
})

test('a post has the OTLP path, OTLP JSON and the configured headers', async () => {
  const opened = open({ everyMs: never })

  opened.add({
    ...aSpan('POST /v1/payouts'),
    kind: 'server',
    parentSpanId: '2'.repeat(16),
    link: { traceId: '3'.repeat(32), spanId: '4'.repeat(16), sampled: true },
    attributes: { 'http.route': '/v1/payouts', 'http.response.status_code': 201, share: 0.5, local: true, none: null },
    outcome: 'failed',
  })
  opened.add(aSpan('plain'))
  await opened.close()

  expect(collector.taken.map(({ path, headers }) => [path, headers['content-type'], headers['x-key']])).toEqual([
    ['/v1/traces', 'application/json', 'k'],
  ])
  const plain = {
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    startTimeUnixNano: '1700000000123000000',
    endTimeUnixNano: '1700000000124000001',
  }
  expect(collector.taken[0]?.body).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'payouts-test' } }] },
        scopeSpans: [
          {
            scope: { name: 'payouts' },
            spans: [
              {
                ...plain,
                parentSpanId: '2'.repeat(16),
                name: 'POST /v1/payouts',
                kind: 2,
                attributes: [
                  { key: 'http.route', value: { stringValue: '/v1/payouts' } },
                  { key: 'http.response.status_code', value: { intValue: '201' } },
                  { key: 'share', value: { doubleValue: 0.5 } },
                  { key: 'local', value: { boolValue: true } },
                ],
                links: [{ traceId: '3'.repeat(32), spanId: '4'.repeat(16) }],
                status: { code: 2 },
              },
              { ...plain, name: 'plain', kind: 1, attributes: [], status: {} },
            ],
          },
        ],
      },
    ],
  })
})

test('a full batch is sent immediately, and an incomplete one after the interval', async () => {
  const full = open({ batchMax: 3, everyMs: never })
  addMany(full, 3)
  await until('the full batch has arrived', () => collector.spans().length === 3)
  addMany(full, 2)
  await full.close()
  expect(sizes()).toEqual([3, 2])

  exporter = open({ batchMax: 3, everyMs: 20 })
  addMany(exporter, 1)
  await until('the incomplete batch has arrived', () => collector.spans().length === 6)
})

test('spans that exceed a batch are sent in several posts', async () => {
  const opened = open({ batchMax: 1_000, everyMs: never })

  for (let n = 0; n < 2_500; n++) opened.add(aSpan(`span ${n}`))
  await opened.close()

  expect(Math.max(...sizes())).toBe(1_000)
  expect(new Set(collector.spans().map(({ name }) => name)).size).toBe(2_500)
})

test('during an outage the queue is bounded, and the outage and its end are logged once', async () => {
  collector.behave('away')
  exporter = open({ batchMax: 2, queueMax: 5, everyMs: 10 })

  addMany(exporter, 8)
  await until('it was retried several times', () => collector.asked() > 3)
  expect(exporter.lost()).toBe(3)
  collector.behave(200)
  await until('the buffered spans have arrived', () => collector.spans().length === 5)
  await until('its end is logged', () => logged.length > 1)

  expect(lines()).toEqual([
    expect.objectContaining({ level: 'warn', why: expect.any(String) }),
    expect.objectContaining({ level: 'info', msg: 'sending traces again', spans_lost: 3 }),
  ])
  expect(exporter.lost()).toBe(0)
})

test('a refused connection is logged once', async () => {
  await collector.close()
  exporter = open({ everyMs: 10, closeWithinMs: 30 })

  addMany(exporter, 1)
  await until('it is logged', () => logged.length > 0)

  expect(lines()).toEqual([expect.objectContaining({ level: 'warn', why: 'ECONNREFUSED' })])
})

test.each([429, 502, 503, 504])('a batch answered with %s is retried', async (status) => {
  collector.behave(status)
  exporter = open({ everyMs: 10 })

  addMany(exporter, 2)
  await until('it was retried several times', () => collector.asked() > 2)
  collector.behave(200)
  await until('the spans have arrived', () => collector.spans().length === 2)

  expect(lines()[0]).toMatchObject({ level: 'warn', why: `HTTP ${status}` })
  await until('its end is logged', () => logged.length === 2)
})

test.each([307, 400, 401, 500])(
  'a batch answered with %s is dropped, and repeated failures are logged once',
  async (status) => {
    collector.behave(status)
    exporter = open({ everyMs: 10 })

    for (let batch = 1; batch <= 3; batch++) {
      addMany(exporter, 1)
      await until('it was refused', () => exporter?.lost() === batch)
    }

    expect(collector.asked()).toBe(3)
    expect(lines()).toEqual([expect.objectContaining({ level: 'warn', why: `HTTP ${status}` })])
  },
)

test('a post that is not answered times out and is retried', async () => {
  collector.behave('silent')
  exporter = open({ everyMs: 10, postWithinMs: 30, closeWithinMs: 30 })

  addMany(exporter, 1)
  await until('it was retried', () => collector.asked() > 1)

  expect(lines()).toEqual([expect.objectContaining({ level: 'warn', why: 'TimeoutError' })])
})

test('close waits for an unresponsive collector up to its limit, and logs the lost spans', async () => {
  collector.behave('silent')
  const opened = open({ batchMax: 2, everyMs: never, postWithinMs: never, closeWithinMs: 30 })
  for (let n = 0; n < 3; n++) opened.add(aSpan('lost'))
  await until('it was called', () => collector.asked() === 1)

  await opened.close()

  expect(lines().at(-1)).toMatchObject({ level: 'warn', msg: 'traces were lost', spans_lost: 3 })
})

test('the log contains neither configured secrets nor span attributes', async () => {
  collector.behave(500)
  const opened = open({ everyMs: never })

  opened.add({ ...aSpan('told'), attributes: { 'payouts.request_id': 'marker' } })
  await opened.close()

  expect(logged).not.toEqual([])
  expect(logged.join()).not.toMatch(/marker|x-key|told/)
})

function open(limits: Partial<Limits>): Exporter {
  return createExporter({
    collector: { url: `${collector.endpoint}/v1/traces`, headers: { 'x-key': 'k' } },
    resource: { 'service.name': 'payouts-test' },
    log: keptLog({ level: 'info', write: (line) => void logged.push(line) }),
    limits,
  })
}

function addMany(exporter: Exporter, count: number): void {
  for (let n = 0; n < count; n++) exporter.add(aSpan('one of many'))
}

function aSpan(name: string): FinishedSpan {
  return {
    context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true },
    parentSpanId: null,
    link: null,
    name,
    kind: 'internal',
    startNano: 1_700_000_000_123_000_000n,
    endNano: 1_700_000_000_124_000_001n,
    attributes: {},
    outcome: 'fine',
  }
}

function sizes(): number[] {
  return collector.taken.map(({ body }) => body.resourceSpans[0].scopeSpans[0].spans.length)
}

function lines(): unknown[] {
  return logged.map((line) => JSON.parse(line))
}
