// Runs work inside a span, and reports the span when the work ends. Spans started during the work become its children.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock'
import type { TraceContext } from './context'

export interface Tracer {
  /** Returns the result of the work, or throws its error. */
  run<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>
}

interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  /** Undefined uses the current span as parent. Null starts a new trace. */
  readonly parent?: TraceContext | null
  readonly link?: TraceContext | null
  readonly attributes?: Attributes
}

export interface Span {
  readonly context: TraceContext
  rename(name: string): void
  tell(attributes: Attributes): void
  fail(errorType: string): void
}

interface TracerOptions {
  readonly clock: Clock
  readonly ratio: number
  readonly onFinished: (span: FinishedSpan) => void
}

export function createTracer({ clock, ratio, onFinished }: TracerOptions): Tracer {
  const current = new AsyncLocalStorage<TraceContext>()
  return {
    async run(start, work) {
      const parent = start.parent === undefined ? (current.getStore() ?? null) : start.parent
      const span = openSpan(start, contextBelow(parent, ratio))
      const [startNano, startTick] = [BigInt(clock.now().getTime()) * 1_000_000n, process.hrtime.bigint()]
      try {
        return await current.run(span.context, () => work(span))
      } catch (error) {
        span.fail(errorTypeOf(error))
        throw error
      } finally {
        // Uses the monotonic clock, because an adjusted system clock could end a span before it started.
        const endNano = startNano + process.hrtime.bigint() - startTick
        if (span.context.sampled) {
          onFinished({ ...span.data(), parentSpanId: parent?.spanId ?? null, startNano, endNano })
        }
      }
    },
  }
}

interface OpenSpan extends Span {
  data(): Omit<FinishedSpan, 'parentSpanId' | 'startNano' | 'endNano'>
}

function openSpan({ kind, link = null, ...start }: SpanStart, context: TraceContext): OpenSpan {
  let { name, attributes = {} } = start
  let outcome: FinishedSpan['outcome'] = 'fine'
  const tell = (more: Attributes) => {
    attributes = { ...attributes, ...more }
  }
  return {
    context,
    rename: (better) => {
      name = better
    },
    tell,
    fail: (errorType) => {
      outcome = 'failed'
      tell({ 'error.type': errorType })
    },
    data: () => ({ context, link, name, kind, attributes, outcome }),
  }
}

/**
 * The process that starts a trace decides whether the trace is sampled. The decision applies to its spans in every
 * process.
 */
function contextBelow(parent: TraceContext | null, ratio: number): TraceContext {
  const spanId = randomBytes(8).toString('hex')
  if (parent !== null) return { ...parent, spanId }
  const traceId = randomBytes(16).toString('hex')
  return { traceId, spanId, sampled: isSampled(traceId, ratio) }
}

const digits = 13

/** Compares the last 13 hex digits, which are random and fit exactly into a JavaScript number. */
export function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-digits), 16) < ratio * 16 ** digits
}

export type SpanKind = 'server' | 'client' | 'internal'

/** Null attributes are omitted. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>

/** Contains IDs, codes, routes and times, but no text that a user or partner wrote. */
export interface FinishedSpan {
  readonly context: TraceContext
  readonly parentSpanId: string | null
  /** The trace of the caller that led to this span. */
  readonly link: TraceContext | null
  readonly name: string
  readonly kind: SpanKind
  readonly startNano: bigint
  readonly endNano: bigint
  readonly attributes: Attributes
  readonly outcome: 'fine' | 'failed'
}

/** The code or class of an error. Its message may contain personal data. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return /^[\w.-]{1,60}$/.test(code) ? code : 'Error'
}
