// A span has its parent, its times and its outcome, and a trace is sampled as a whole or not at all.
import { expect, test } from '@jest/globals'
import type { TraceContext } from '../../../runtime/tracing/context'
import { createTracer, type FinishedSpan, isSampled, type Span } from '../../../runtime/tracing/tracer'

const now = new Date('2026-11-15T10:00:00.123Z')
const internal = (name: string) => ({ name, kind: 'internal' }) as const

test('a span started inside another becomes its child, even if several run concurrently', async () => {
  const { tracer, finished } = aTracer()

  await Promise.all(
    ['one', 'two'].map((name) =>
      tracer.run(internal(name), async () => {
        await Promise.resolve()
        await tracer.run(internal(`${name}, within`), async () => undefined)
      }),
    ),
  )

  for (const name of ['one', 'two']) {
    const [whole, part] = [spanOf(finished, name), spanOf(finished, `${name}, within`)]
    expect(part.parentSpanId).toBe(whole.context.spanId)
    expect(part.context.traceId).toBe(whole.context.traceId)
    expect(whole.parentSpanId).toBeNull()
  }
  expect(new Set(finished.map(({ context }) => context.traceId)).size).toBe(2)
  expect(new Set(finished.map(({ context }) => context.spanId)).size).toBe(4)
})

test('a span starts at the time of the given clock, and ends later', async () => {
  const { tracer, finished } = aTracer()

  await tracer.run(internal('timed'), async () => undefined)

  const { startNano, endNano } = spanOf(finished, 'timed')
  expect(startNano).toBe(BigInt(now.getTime()) * 1_000_000n)
  expect(endNano).toBeGreaterThan(startNano)
})

test('an error is rethrown, and the span records only its code or class', async () => {
  const { tracer, finished } = aTracer()
  const refused = Object.assign(new Error('connect to Ada'), { code: 'ECONNREFUSED' })
  const strange = Object.assign(new TypeError('12345678'), { code: 'of Ada Lovelace' })
  const fail = (name: string, error: Error) => tracer.run(internal(name), () => Promise.reject(error))

  await expect(fail('refused', refused)).rejects.toBe(refused)
  await expect(fail('strange', strange)).rejects.toBe(strange)

  expect(finished.map(({ outcome, attributes }) => [outcome, attributes])).toEqual([
    ['failed', { 'error.type': 'ECONNREFUSED' }],
    ['failed', { 'error.type': 'Error' }],
  ])
})

test.each([true, false])(
  'a span in a remote trace follows the sampling decision made there (sampled: %s)',
  async (sampled) => {
    const { tracer, finished } = aTracer(sampled ? 0 : 1)
    const parent: TraceContext = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled }

    const within = await tracer.run({ ...internal('part'), parent }, async ({ context }: Span) => context)

    expect(within).toMatchObject({ traceId: parent.traceId, sampled })
    expect(finished.map(({ parentSpanId }) => parentSpanId)).toEqual(sampled ? [parent.spanId] : [])
  },
)

test('a span with parent null starts a new trace, even inside another span', async () => {
  const { tracer, finished } = aTracer()

  await tracer.run(internal('whole'), () => tracer.run({ ...internal('other'), parent: null }, async () => undefined))

  expect(spanOf(finished, 'other').parentSpanId).toBeNull()
  expect(spanOf(finished, 'other').context.traceId).not.toBe(spanOf(finished, 'whole').context.traceId)
})

test.each([
  ['f', 1, true],
  ['0', 0, false],
  ['0', 0.000_001, true],
  ['7', 0.5, true],
  ['8', 0.5, false],
])('a trace ID that ends in many %s, at a ratio of %s, is sampled: %s', (digit, ratio, kept) => {
  expect(isSampled('f'.repeat(19) + digit.repeat(13), ratio)).toBe(kept)
})

function aTracer(ratio = 1) {
  const finished: FinishedSpan[] = []
  const tracer = createTracer({ clock: { now: () => now }, ratio, onFinished: (span) => finished.push(span) })
  return { tracer, finished }
}

function spanOf(finished: readonly FinishedSpan[], name: string): FinishedSpan {
  return finished.find((span) => span.name === name)!
}
