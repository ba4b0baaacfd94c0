// The data of a span: IDs, codes, routes and times. It holds no text that a user or partner wrote.
import type { TraceContext } from './context'

export type SpanKind = 'server' | 'client' | 'internal'

/** Null attributes are omitted. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>

export interface FinishedSpan {
  readonly context: TraceContext
  readonly parentSpanId: string | null
  /** The caller's trace that led to this span. */
  readonly link: TraceContext | null
  readonly name: string
  readonly kind: SpanKind
  readonly startNano: bigint
  readonly endNano: bigint
  readonly attributes: Attributes
  readonly outcome: 'fine' | 'failed'
}

/** The code or class of an error. Its message may hold personal data. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return /^[\w.-]{1,60}$/.test(code) ? code : 'Error'
}
