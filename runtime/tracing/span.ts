// What a span is: ids, codes, routes and times, and nothing that a person or a partner has written.
import type { TraceContext } from './context'

export type SpanKind = 'server' | 'client' | 'internal'

/** What is null is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>

export interface FinishedSpan {
  readonly context: TraceContext
  readonly parentSpanId: string | null
  /** Somebody else's trace that led to it. */
  readonly link: TraceContext | null
  readonly name: string
  readonly kind: SpanKind
  readonly startNano: bigint
  readonly endNano: bigint
  readonly attributes: Attributes
  readonly outcome: 'fine' | 'failed'
}

/** The code or the class of an error: what its message says may be about a person. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return /^[\w.-]{1,60}$/.test(code) ? code : 'Error'
}
