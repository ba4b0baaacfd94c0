// Runs work as a span and hands it on when it is over; what is begun meanwhile finds out what it is a part of.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock'
import type { TraceContext } from './context'
import { type Attributes, errorTypeOf, type FinishedSpan, type SpanKind } from './span'

export interface Tracer {
  /** What comes out of the work, or is thrown by it, comes out of this. */
  run<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>
}

export interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  /** What it is a part of: without it what is under way here, and with null nothing, so that a trace begins. */
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

export interface TracerOptions {
  readonly clock: Clock
  readonly ratio: number
  readonly onFinished: (span: FinishedSpan) => void
}

export function createTracer({ clock, ratio, onFinished }: TracerOptions): Tracer {
  const underWay = new AsyncLocalStorage<TraceContext>()
  return {
    async run(start, work) {
      const parent = start.parent === undefined ? (underWay.getStore() ?? null) : start.parent
      const span = openSpan(start, contextBelow(parent, ratio))
      const [startNano, startTick] = [BigInt(clock.now().getTime()) * 1_000_000n, process.hrtime.bigint()]
      try {
        return await underWay.run(span.context, () => work(span))
      } catch (error) {
        span.fail(errorTypeOf(error))
        throw error
      } finally {
        // A clock that is set right meanwhile must not end a span before it began.
        const endNano = startNano + process.hrtime.bigint() - startTick
        if (span.context.sampled) {
          onFinished({ ...span.told(), parentSpanId: parent?.spanId ?? null, startNano, endNano })
        }
      }
    },
  }
}

interface OpenSpan extends Span {
  told(): Omit<FinishedSpan, 'parentSpanId' | 'startNano' | 'endNano'>
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
    told: () => ({ context, link, name, kind, attributes, outcome }),
  }
}

/** Whether a trace is kept is decided where it begins, and holds for all of it, in whichever process. */
function contextBelow(parent: TraceContext | null, ratio: number): TraceContext {
  const spanId = randomBytes(8).toString('hex')
  if (parent !== null) return { ...parent, spanId }
  const traceId = randomBytes(16).toString('hex')
  return { traceId, spanId, sampled: isSampled(traceId, ratio) }
}

const digits = 13

/** By the end of its id, which is as random as any number; 13 hex digits are as many as a number holds exactly. */
export function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-digits), 16) < ratio * 16 ** digits
}
